/** How the runner finds again what it made, also after it was killed. */
import type { AttemptNumber, JobId } from '../../../server/protocol/ids.ts'
import type { Purpose } from '../../../server/protocol/runner.ts'

export type Labels = Readonly<Record<string, string>>

/** On all that any runner makes. */
const productLabel = 'agent-workspace'

/** Names the runner, so that two runners on one engine never take the other's containers for lost ones. */
export const runnerLabel = 'agent-workspace.runner'

/** The labels of one attempt's containers, or of its volumes, which have no purpose. */
export const attemptLabels = (
  runner: string,
  { job, attempt }: { readonly job: JobId; readonly attempt: AttemptNumber },
  purpose?: Purpose,
): Labels => ({
  [productLabel]: '1',
  [runnerLabel]: runner,
  'agent-workspace.job': String(job),
  'agent-workspace.attempt': String(attempt),
  ...(purpose === undefined ? {} : { 'agent-workspace.purpose': purpose }),
})
