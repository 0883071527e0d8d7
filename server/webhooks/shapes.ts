/**
 * The payloads: of GitHub's shapes, as @octokit/webhooks-types has them, the parts that mean something in this forge.
 * A part that is here has GitHub's name and type; what is left out would lead to pages that do not exist.
 */
import type {
  Commit,
  CreateEvent,
  DeleteEvent,
  PingEvent,
  PullRequest,
  PullRequestSynchronizeEvent,
  PushEvent,
  Repository,
  User,
} from '@octokit/webhooks-types'

export type UserShape = Pick<User, 'login' | 'id' | 'type' | 'site_admin' | 'html_url'>

export type RepositoryShape = Pick<
  Repository,
  | 'id'
  | 'name'
  | 'full_name'
  | 'private'
  | 'visibility'
  | 'description'
  | 'fork'
  | 'html_url'
  | 'url'
  | 'clone_url'
  | 'default_branch'
> & { owner: UserShape }

type InRepository = { repository: RepositoryShape; sender: UserShape }

/** Beside GitHub's short names: the name that cannot be taken for another ref. */
type FullRef = { full_ref: string }

export type CommitShape = Commit
export type PushShape = Omit<PushEvent, 'repository' | 'sender' | 'installation' | 'organization'> &
  InRepository
export type CreateShape = Omit<CreateEvent, 'repository' | 'sender' | 'installation' | 'organization'> &
  InRepository &
  FullRef
export type DeleteShape = Omit<DeleteEvent, 'repository' | 'sender' | 'installation' | 'organization'> &
  InRepository &
  FullRef

type Side = { label: string; ref: string; sha: string; user: UserShape; repo: RepositoryShape } & FullRef

export type PullRequestShape = Pick<
  PullRequest,
  | 'id'
  | 'number'
  | 'url'
  | 'html_url'
  | 'state'
  | 'locked'
  | 'draft'
  | 'title'
  | 'body'
  | 'created_at'
  | 'updated_at'
  | 'closed_at'
  | 'merged_at'
  | 'merged'
  | 'merge_commit_sha'
> & { user: UserShape; merged_by: UserShape | null; head: Side; base: Side }

export type PullRequestEventShape = InRepository & { number: number; pull_request: PullRequestShape } & (
    | { action: 'opened' | 'closed' }
    | Pick<PullRequestSynchronizeEvent, 'action' | 'before' | 'after'>
  )

export type PingShape = Pick<PingEvent, 'zen' | 'hook_id' | 'hook'> & {
  repository?: RepositoryShape
  sender: UserShape
}
