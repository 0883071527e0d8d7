/** The owner's word on a proposal. What was reviewed is what is promoted: a commit, compared and swapped, never a name. */
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import { isSymbolic, swapRef } from '../git/moving-refs.ts'
import { isAncestor, readDefaultBranch, resolveRef } from '../git/reading.ts'
import type { Person } from '../identity/identity.ts'
import type { AgentJob } from '../protocol/api.ts'
import type { CommitId, JobId, RepoName } from '../protocol/ids.ts'
import { branchOf, type RefName } from '../protocol/refs.ts'
import { storeDecision } from './store-decision.ts'

export type Approval = Readonly<{ commit: CommitId; branch: RefName; old: CommitId | null }>

/** The job, or a 404. */
export const getJob = async ({ jobs }: Pick<Forge, 'jobs'>, repo: RepoName, id: JobId): Promise<AgentJob> => {
  const job = await jobs.find(repo, id)
  if (!job) throw new ForgeError('not-found', `There is no job ${id} in ${repo}.`)
  return job
}

/** The proposal that still waits for a decision, if it is the commit that the reviewer saw. */
const undecided = (job: AgentJob, seen: CommitId | null): NonNullable<AgentJob['proposal']> => {
  if (job.state !== 'proposed' || !job.proposal) {
    throw new ForgeError('wrong-state', `Job ${job.id} is ${job.state}; only a proposal can be decided on.`)
  }
  if (seen !== null && job.proposal.commit !== seen) {
    throw new ForgeError(
      'proposal-moved',
      'The proposal is another commit by now. Read it again, then decide.',
    )
  }
  return job.proposal
}

/** Whether the branch may take the commit as things stand. Throws a 409 that says why not. */
const checkTarget = async (repo: string, { commit, branch, old }: Approval): Promise<void> => {
  if (branch === (await readDefaultBranch(repo))) {
    throw new ForgeError(
      'branch-is-default',
      `${branchOf(branch)} is the default branch. Approve to another branch, then merge it with your own tools.`,
    )
  }
  if (await isSymbolic(repo, branch)) {
    throw new ForgeError(
      'branch-is-symbolic',
      `${branchOf(branch)} is another name for a branch. Name that branch.`,
    )
  }
  const now = await resolveRef(repo, branch)
  if (now !== old) {
    throw new ForgeError(
      'branch-moved',
      now === null
        ? `${branchOf(branch)} no longer exists. Look again, then decide.`
        : `${branchOf(branch)} is at ${now.slice(0, 12)} now. Look at what changed there, then decide.`,
    )
  }
  if (old !== null && !(await isAncestor(repo, old, commit))) {
    throw new ForgeError(
      'not-fast-forward',
      `${branchOf(branch)} has commits that the proposal lacks. Choose a new branch.`,
    )
  }
}

/** Creates or fast-forwards the branch to exactly the commit that was reviewed, or throws a 409. */
export const approve = (
  forge: Forge,
  person: Person,
  repo: RepoName,
  id: JobId,
  approval: Approval,
): Promise<void> =>
  forge.serialize(id, async () => {
    const { audit, tokens, repositories, feed, now } = forge
    const proposal = undecided(await getJob(forge, repo, id), approval.commit)
    const path = await repositories.getServed(repo)
    if ((await resolveRef(path, proposal.revision)) !== approval.commit) {
      throw new ForgeError(
        'wrong-state',
        `The refs of job ${id} are deleted. There is nothing left to approve.`,
      )
    }
    await checkTarget(path, approval)
    const { attempt } = proposal
    const by = person.token
    const intent = await audit.append({ type: 'approve-intended', job: id, attempt, ...approval, by }, now())
    const moved = await swapRef(path, approval.branch, approval.commit, approval.old)
    if (moved) {
      const made = { repo, job: id, attempt, ...approval, by, person: person.person, at: now() }
      await storeDecision(forge, { verdict: 'approved', ...made })
      await tokens.revokeOfJob(id)
    }
    await audit.append({ type: 'approve-done', job: id, intent: intent.seq, moved }, now())
    if (!moved) {
      throw new ForgeError(
        'branch-moved',
        `${branchOf(approval.branch)} moved at this moment, or its name is in the way of another. Look again, then decide.`,
      )
    }
    feed.publish(id)
  })

/** Rejects the proposal. `seen`: the commit that the reviewer saw, where the client says it. */
export const reject = (
  forge: Forge,
  person: Person,
  repo: RepoName,
  id: JobId,
  { reason, seen }: { reason: string; seen: CommitId | null },
): Promise<void> =>
  forge.serialize(id, async () => {
    const { audit, tokens, feed, now } = forge
    const { attempt, commit } = undecided(await getJob(forge, repo, id), seen)
    const by = person.token
    await audit.append({ type: 'rejected', job: id, attempt, commit, reason, by }, now())
    const made = { repo, job: id, attempt, commit, reason, by, person: person.person, at: now() }
    await storeDecision(forge, { verdict: 'rejected', ...made })
    await tokens.revokeOfJob(id)
    feed.publish(id)
  })
