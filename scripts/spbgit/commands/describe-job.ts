/** A job as lines for a person. */
import type { AgentJob, Attempt } from '../../../server/protocol/api.ts'
import { explainReason, type JobState } from '../../../server/protocol/jobs.ts'
import { branchOf } from '../../../server/protocol/refs.ts'
import { cleanLine } from '../terminal/clean.ts'

export const stateName = (state: JobState): string => (state === 'no-change' ? 'no change' : state)

const testLines = ({ tests }: Attempt): string[] =>
  tests.map(({ against, result, why }) => {
    const name = against === 'proposal' ? 'test command' : 'the base’s own tests'
    return `${name} ${result === 'not-run' ? 'did not run' : result}${why === null ? '' : ` (${cleanLine(why)})`}`
  })

const decisionLines = ({ decision }: AgentJob): string[] => {
  if (decision === null) return []
  const where = decision.branch === null ? '' : ` onto ${branchOf(decision.branch)}`
  const why = decision.reason === null ? '' : `: ${cleanLine(decision.reason)}`
  return [`${decision.verdict}${where} at ${decision.at}${why}`]
}

/** Label and value of everything that there is to say; a label without a value is left out. */
export const describeJob = (job: AgentJob): string[] => {
  const [latest] = job.attempts.slice(-1)
  const tests = latest === undefined ? [] : testLines(latest)
  const fields: [string, string | undefined][] = [
    ['job', `${job.id} of ${job.repo}`],
    ['task', cleanLine(job.task)],
    ['state', stateName(job.state)],
    ['why', job.reason === null ? undefined : explainReason(job.reason)],
    ['base', `${branchOf(job.base.ref)} at ${job.base.commit}`],
    ['created', job.createdAt],
    ['commit', job.proposal?.commit],
    ['fetch', job.proposal?.revision],
    ...tests.map((line): [string, string] => ['tests', line]),
    ...decisionLines(job).map((line): [string, string] => ['review', line]),
    ['page', job.url],
  ]
  return fields.flatMap(([label, value]) => (value === undefined ? [] : [`${label.padEnd(9)}${value}`]))
}
