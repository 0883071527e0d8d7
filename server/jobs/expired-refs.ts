/** Refs of jobs that were over long ago go; their records stay. */
import type { Forge } from '../forge.ts'
import { listRefs } from '../git/reading.ts'
import type { AgentJob } from '../protocol/api.ts'
import type { RepoName } from '../protocol/ids.ts'
import { isActive } from '../protocol/jobs.ts'
import { agentRefs, jobOfRef } from '../protocol/refs.ts'
import { deleteJobRefs } from './job-actions.ts'

/** A quarter of a year. Milliseconds. */
const keptMs = 90 * 24 * 60 * 60_000

/** Whether nobody waits for anything from this job any more. A proposal that nobody decided on waits for ever. Pure. */
export const isExpired = ({ state, attempts, decision }: AgentJob, now: number): boolean => {
  if (isActive(state) || state === 'proposed') return false
  const over = decision?.at ?? attempts.at(-1)?.endedAt ?? null
  return over !== null && Date.parse(over) + keptMs < now
}

/** Deletes the refs of every expired job of the repository. */
export const deleteExpiredRefs = async (forge: Forge, repo: RepoName, path: string): Promise<void> => {
  const ids = new Set((await listRefs(path, agentRefs)).map(({ ref }) => jobOfRef(ref)))
  for (const id of ids) {
    const job = id === null ? null : await forge.jobs.find(repo, id)
    if (job && isExpired(job, forge.now())) await deleteJobRefs(forge, null, repo, job.id)
  }
}
