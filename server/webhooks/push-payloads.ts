/** `push`, `create` and `delete`: what GitHub would send for one ref that has moved. Pure. */
import type { RefUpdate } from '../../hooks/decide-push.ts'
import type { PushedCommit } from '../git/pushed-commits.ts'
import type { RefName } from '../protocol/refs.ts'
import { type Origin, shortName } from './origin.ts'
import type { Payload } from './payload.ts'
import type { CommitShape } from './shapes.ts'

/** What git knows about a move. */
export type MoveFacts = Readonly<{
  /** What the ref has now and had not, oldest first. */
  commits: readonly PushedCommit[]
  /** Ids of those that no other branch has. */
  distinct: ReadonlySet<string>
  /** What the ref, or the tag it holds, leads to; null after a deletion. */
  head: PushedCommit | null
  /** Whether commits that the ref had are gone from it. */
  forced: boolean
}>

export const refTypeOf = (ref: RefName): 'branch' | 'tag' | null => {
  if (ref.startsWith('refs/heads/')) return 'branch'
  return ref.startsWith('refs/tags/') ? 'tag' : null
}

const commitShape = (commit: PushedCommit, distinct: boolean, page: string): CommitShape => ({
  id: commit.id,
  tree_id: commit.tree,
  distinct,
  message: commit.message,
  timestamp: commit.committer.date,
  url: page,
  author: { ...commit.author },
  committer: { ...commit.committer },
  added: [...commit.added],
  removed: [...commit.removed],
  modified: [...commit.modified],
})

const pushPayload = (update: RefUpdate, facts: MoveFacts, origin: Origin): Payload => {
  const { ref, old, new: fresh } = update
  const zero = '0'.repeat((old ?? fresh ?? '').length)
  const page = origin.repository.html_url
  return {
    event: 'push',
    action: null,
    body: {
      ref,
      before: old ?? zero,
      after: fresh ?? zero,
      created: old === null,
      deleted: fresh === null,
      forced: facts.forced,
      base_ref: null,
      compare: page,
      commits: facts.commits.map((commit) => commitShape(commit, facts.distinct.has(commit.id), page)),
      head_commit: facts.head && commitShape(facts.head, facts.distinct.has(facts.head.id), page),
      pusher: { name: origin.sender.login, email: null },
      ...origin,
    },
  }
}

/** Where one ref came to be or ceased to be, its `create` or `delete` comes with the `push`, as on GitHub. */
export const pushPayloads = (update: RefUpdate, facts: MoveFacts, origin: Origin): Payload[] => {
  const push = pushPayload(update, facts, origin)
  const type = refTypeOf(update.ref)
  if (type === null) return [push]
  const named = { ref: shortName(update.ref), full_ref: update.ref, ref_type: type, pusher_type: 'user' }
  if (update.old === null) {
    const { default_branch: master_branch } = origin.repository
    const body = { ...named, master_branch, description: null, ...origin }
    return [{ event: 'create', action: null, body }, push]
  }
  if (update.new === null) return [{ event: 'delete', action: null, body: { ...named, ...origin } }, push]
  return [push]
}
