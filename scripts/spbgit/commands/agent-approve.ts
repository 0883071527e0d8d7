/** `spbgit agent approve`: puts what was reviewed on a branch. */
import type { CommitId, JobId, RepoName } from '../../../server/protocol/ids.ts'
import { branchName } from '../../../server/protocol/refs.ts'
import { Failure } from '../failure.ts'
import { approveJob, showJob } from '../forge/api.ts'
import { readRef } from '../forge/branches.ts'
import { type Session, signedIn } from '../session.ts'
import { askToGoOn, canAsk } from '../terminal/questions.ts'
import { describeJob } from './describe-job.ts'

type Options = { branch: string; commit?: CommitId; yes?: boolean; json?: boolean }

/** Shows what would be promoted, asks, and promotes it if neither proposal nor branch has moved since. */
export const approve = async (
  session: Session,
  repo: RepoName,
  id: JobId,
  options: Options,
): Promise<void> => {
  const { output } = session
  const { branch, yes, json } = options
  if (!yes && !canAsk()) {
    throw new Failure('usage', 'Nobody can be asked here. Add --yes once you have reviewed the proposal.')
  }
  const forge = await signedIn(session)
  const job = await showJob(forge, repo, id)
  const commit = options.commit ?? job.proposal?.commit
  if (commit === undefined) {
    throw new Failure('no-proposal', `Job ${id} of ${repo} has no proposal. Its state is: ${job.state}.`)
  }
  const old = await readRef(forge, repo, branchName.parse(branch))
  for (const line of describeJob(job)) output.say(line)
  output.say(`promote  ${commit}`)
  output.say(old === null ? `to       ${branch}, a new branch` : `to       ${branch}, now at ${old}`)
  if (!yes) await askToGoOn(`Put this commit on ${branch}?`)
  const approved = await approveJob(forge, repo, id, { commit, branch, old })
  if (json) output.json(approved)
  else output.line(`${branch} is now ${commit}.`)
}
