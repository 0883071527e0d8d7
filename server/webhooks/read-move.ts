/** What git knows about a ref that has moved. */
import type { RefUpdate } from '../../hooks/decide-push.ts'
import { listDistinct, listPushedCommits, readPushedCommit } from '../git/pushed-commits.ts'
import { isAncestor } from '../git/reading.ts'
import type { CommitId } from '../protocol/ids.ts'
import type { RefName } from '../protocol/refs.ts'
import { type MoveFacts, refTypeOf } from './push-payloads.ts'

const nothing: MoveFacts = { commits: [], distinct: new Set(), head: null, forced: false }

const readCommits = async (repo: string, ref: RefName, old: CommitId | null, fresh: CommitId) => {
  // A tag names commits and does not bring them; so GitHub has it.
  if (refTypeOf(ref) === 'tag') return []
  return listPushedCommits(repo, ref, old, fresh)
}

/**
 * Reads what a payload tells of a move. What git cannot read any more (another push has taken it away, the repository
 * is gone) or not within its limits is left out, and said to `onFault`.
 */
export const readMove = async (
  repo: string | null,
  { ref, old, new: fresh }: RefUpdate,
  onFault: (error: unknown) => void,
): Promise<MoveFacts> => {
  if (repo === null || fresh === null) return nothing
  const orElse = async <T>(read: Promise<T>, otherwise: T): Promise<T> =>
    read.catch((error: unknown) => {
      onFault(error)
      return otherwise
    })
  return {
    commits: await orElse(readCommits(repo, ref, old, fresh), []),
    distinct: await orElse(listDistinct(repo, ref, fresh), new Set()),
    head: await orElse(readPushedCommit(repo, fresh), null),
    forced: old !== null && !(await orElse(isAncestor(repo, old, fresh), false)),
  }
}
