/** What a person can do to a job beside deciding on it: cancel it, delete its refs. */
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import { deleteRefs } from '../git/moving-refs.ts'
import { listRefs } from '../git/reading.ts'
import type { Person } from '../identity/identity.ts'
import type { JobId, RepoName } from '../protocol/ids.ts'
import { isActive } from '../protocol/jobs.ts'
import { jobFolder } from '../protocol/refs.ts'
import { getJob } from './decisions.ts'

/** Ends an active attempt. 409 for a job that has ended. */
export const cancel = (forge: Forge, person: Person, repo: RepoName, id: JobId): Promise<void> =>
  forge.serialize(id, async () => {
    const job = await getJob(forge, repo, id)
    const attempt = job.attempts.at(-1)
    if (!attempt || !isActive(attempt.state)) {
      throw new ForgeError('wrong-state', `Job ${id} is ${job.state}; there is nothing to cancel.`)
    }
    await forge.audit.append({ type: 'cancel-requested', job: id, by: person.token }, forge.now())
    await forge.dispatcher.cancel({ job: id, number: attempt.number })
  })

/**
 * Deletes every ref of a job that has ended; its record stays. Branches that it was promoted to are not its refs.
 * `person`: null when the forge itself tidies up.
 */
export const deleteJobRefs = (
  forge: Forge,
  person: Person | null,
  repo: RepoName,
  id: JobId,
): Promise<void> =>
  forge.serialize(id, async () => {
    const { audit, tokens, repositories, revisions, now } = forge
    const job = await getJob(forge, repo, id)
    if (isActive(job.state)) {
      throw new ForgeError('wrong-state', `Job ${id} is ${job.state}. Cancel it first, then delete its refs.`)
    }
    await tokens.revokeOfJob(id)
    const path = await repositories.getServed(repo)
    const refs = await listRefs(path, jobFolder(id))
    if (refs.length === 0) return
    const names = refs.map(({ ref }) => ref)
    const intent = await audit.append(
      { type: 'refs-delete-intended', job: id, repo, refs: names, by: person?.token ?? null },
      now(),
    )
    const moved = await deleteRefs(path, refs)
    await audit.append({ type: 'refs-delete-done', job: id, intent: intent.seq, moved }, now())
    if (!moved) throw new ForgeError('repository-busy', 'A ref of this job moved at this moment. Try again.')
    await revisions.forgetChanges(id)
  })
