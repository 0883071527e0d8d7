/** `spbgit agent list`, `show`, `reject` and `cancel`. */
import type { AgentJob } from '../../../server/protocol/api.ts'
import type { JobId, RepoName } from '../../../server/protocol/ids.ts'
import { cancelJob, listJobs, rejectJob, showJob } from '../forge/api.ts'
import { type Session, signedIn } from '../session.ts'
import { table } from '../terminal/table.ts'
import { listAudit } from './audit.ts'
import { describeJob, stateName } from './describe-job.ts'

type Options = { json?: boolean }

const jobRow = ({ id, state, createdAt, task }: AgentJob): string[] => [
  String(id),
  stateName(state),
  createdAt,
  task,
]

/** The jobs of a repository, or the audit record of every job of the forge. */
export const list = async (
  session: Session,
  repo: RepoName | undefined,
  { json }: Options,
): Promise<void> => {
  const { output } = session
  const forge = await signedIn(session)
  if (repo === undefined) return listAudit(session, forge, json)
  const jobs = await listJobs(forge, repo)
  if (json) return output.json(jobs)
  if (jobs.length === 0)
    return output.say('There are no jobs yet. Start one: spbgit agent run <repo> "<task>"')
  for (const line of table(['JOB', 'STATE', 'CREATED', 'TASK'], jobs.map(jobRow), output.columns))
    output.line(line)
}

export const show = async (session: Session, repo: RepoName, id: JobId, { json }: Options): Promise<void> => {
  const job = await showJob(await signedIn(session), repo, id)
  if (json) return session.output.json(job)
  for (const line of describeJob(job)) session.output.line(line)
}

export const reject = async (
  session: Session,
  repo: RepoName,
  id: JobId,
  { reason, json }: Options & { reason: string },
): Promise<void> => {
  const job = await rejectJob(await signedIn(session), repo, id, reason)
  if (json) return session.output.json(job)
  session.output.line(`Job ${id} of ${repo} is ${stateName(job.state)}.`)
}

export const cancel = async (
  session: Session,
  repo: RepoName,
  id: JobId,
  { json }: Options,
): Promise<void> => {
  const job = await cancelJob(await signedIn(session), repo, id)
  if (json) return session.output.json(job)
  session.output.line(`Job ${id} of ${repo} is ${stateName(job.state)}.`)
}
