/** Whether a push may move the refs that it names. Pure: identity and updates in, verdict out. */
import type { CommitId, JobId, RepoName, TokenId } from '../server/protocol/ids.ts'
import { agentRefs, isReservedRef, type RefGlob, type RefName, refInGlob } from '../server/protocol/refs.ts'

export type Scope = Readonly<{
  repo: RepoName
  refs: RefGlob
  job: JobId
  /** Milliseconds since the epoch. */
  expires: number
  capabilities: readonly 'push:agent-ref'[]
}>

export type Pusher =
  | Readonly<{ kind: 'person'; token: TokenId; person: string; label: string }>
  | Readonly<{ kind: 'job'; token: TokenId; scope: Scope }>

/** One line of a push. null: the ref does not exist before, or after. */
export type RefUpdate = Readonly<{ ref: RefName; old: CommitId | null; new: CommitId | null }>

export type Push = Readonly<{
  pusher: Pusher
  repo: RepoName
  updates: readonly RefUpdate[]
  now: number
}>

export type Verdict = { accept: true } | { accept: false; reason: string }

const refuse = (reason: string): Verdict => ({ accept: false, reason })

/** Also where a file system knows no case, and `refs/Agents` is the same folder. */
const isForJobs = (ref: RefName): boolean => ref.toUpperCase().startsWith(agentRefs.toUpperCase())

const decideForPerson = (update: RefUpdate): string | null =>
  isForJobs(update.ref)
    ? `${update.ref}: only a job writes under ${agentRefs}. Push to a branch instead.`
    : null

const decideForJob = (scope: Scope, update: RefUpdate): string | null => {
  if (!refInGlob(update.ref, scope.refs)) return `${update.ref}: this token may push ${scope.refs} only.`
  if (isReservedRef(update.ref)) return `${update.ref}: r1, r2, … are written by the forge. Push to proposal.`
  if (update.new === null)
    return `${update.ref}: a job’s token deletes nothing. The owner can delete a job’s refs.`
  return null
}

/** git itself moves a ref that is named twice only once, and tells of both. */
const acceptEachOnce = (updates: readonly RefUpdate[]): Verdict =>
  new Set(updates.map(({ ref }) => ref)).size < updates.length
    ? refuse('the push names a ref twice.')
    : { accept: true }

/** Every update must be allowed, or nothing moves. */
export const decidePush = ({ pusher, repo, updates, now }: Push): Verdict => {
  if (updates.length === 0) return refuse('the push names no ref.')
  switch (pusher.kind) {
    case 'person': {
      const no = updates.map(decideForPerson).find((reason) => reason !== null)
      return no ? refuse(no) : acceptEachOnce(updates)
    }
    case 'job': {
      const { scope } = pusher
      if (scope.repo !== repo) return refuse(`this token is for ${scope.repo}, not for ${repo}.`)
      if (scope.expires <= now) return refuse('this token has expired. Start the job again for a new one.')
      if (!scope.capabilities.includes('push:agent-ref')) return refuse('this token may not push.')
      const no = updates.map((update) => decideForJob(scope, update)).find((reason) => reason !== null)
      return no ? refuse(no) : acceptEachOnce(updates)
    }
  }
}
