/** The tables, as Kysely sees them. Times are integer milliseconds; JSON columns are parsed where they are read. */
import type { ColumnType, Generated } from 'kysely'

type Immutable<T> = ColumnType<T, T, never>

type People = { id: Generated<number>; name: string; role: 'owner'; created_at: Immutable<number> }

type Tokens = {
  id: Immutable<string>
  kind: Immutable<'personal' | 'job'>
  person: Immutable<number>
  label: string
  /** SHA-256 of the secret; the secret itself is never stored. */
  hash: Immutable<Uint8Array>
  scope_repo: Immutable<string | null>
  scope_refs: Immutable<string | null>
  scope_job: Immutable<number | null>
  created_at: Immutable<number>
  expires_at: Immutable<number | null>
  revoked_at: number | null
}

type Sessions = {
  hash: Immutable<Uint8Array>
  token: Immutable<string>
  csrf: Immutable<string>
  created_at: Immutable<number>
  expires_at: Immutable<number>
}

type Jobs = {
  id: Generated<number>
  repo: Immutable<string>
  requester: Immutable<string>
  task: Immutable<string>
  agent: Immutable<string>
  base_ref: Immutable<string>
  base_commit: Immutable<string>
  /** `.agent-workspace.json` at the base, as JSON. */
  workspace_file: Immutable<string>
  created_at: Immutable<number>
}

type Attempts = {
  job: Immutable<number>
  number: Immutable<number>
  state: string
  reason: string | null
  /** The sequence number of the last event that was taken over from the runner. */
  last_seq: number
  created_at: Immutable<number>
  dispatched_at: number | null
  started_at: number | null
  ended_at: number | null
  cancel_at: number | null
  collected: string | null
  used: string | null
  salvaged_bytes: number | null
  /** Whether the runner has been told that it may forget this attempt. */
  acknowledged: Generated<0 | 1>
}

type Events = { job: number; attempt: number; seq: number; at: number; type: string; body: string }

type Revisions = {
  job: Immutable<number>
  attempt: Immutable<number>
  commit: Immutable<string>
  token: Immutable<string>
  pushed_at: Immutable<number>
  /** The diff as it was read after the push, JSON; null until then. */
  changes: string | null
}

type Decisions = {
  job: Immutable<number>
  attempt: Immutable<number>
  verdict: Immutable<'approved' | 'rejected'>
  commit: Immutable<string>
  branch: Immutable<string | null>
  reason: Immutable<string | null>
  token: Immutable<string>
  at: Immutable<number>
}

type Pushes = { id: Immutable<string>; repo: string; token: string; at: number }
type RefUpdates = { push: string; ref: string; old: string | null; new: string | null }

/** A push that was let in and is not recorded yet: written before its refs move, removed when it is settled. */
type PushIntents = {
  id: Immutable<string>
  repo: Immutable<string>
  token: Immutable<string>
  /** JSON, as `webhooks/announcement.ts` has it. */
  sender: Immutable<string>
  /** JSON: the ref updates that were let in. */
  updates: Immutable<string>
  at: Immutable<number>
}

type Webhooks = {
  id: Generated<number>
  /** null: every repository. */
  repo: Immutable<string | null>
  url: Immutable<string>
  /** Needed in the clear to sign with; no answer shows it but the one that made it. */
  secret: Immutable<string>
  /** JSON: names of events. */
  events: Immutable<string>
  token: Immutable<string>
  created_at: Immutable<number>
}

/** What happened and is not yet made into deliveries. */
type Announcements = { id: Generated<number>; at: Immutable<number>; body: Immutable<string> }

type Deliveries = {
  id: Generated<number>
  webhook: Immutable<number>
  /** The same for every attempt, so that a consumer can tell a repetition. */
  guid: Immutable<string>
  event: Immutable<string>
  action: Immutable<string | null>
  repo: Immutable<string | null>
  /** The bytes that are signed and sent, as text. */
  payload: Immutable<string>
  state: 'waiting' | 'delivered' | 'failed'
  /** Attempts since it was first queued, or since somebody asked for it again. */
  tries: number
  created_at: Immutable<number>
  /** When it is due; null once it has ended. */
  next_at: number | null
}

type DeliveryAttempts = {
  delivery: Immutable<number>
  number: Immutable<number>
  at: Immutable<number>
  ms: Immutable<number>
  request_headers: Immutable<string>
  status: Immutable<number | null>
  failure: Immutable<string | null>
  response_headers: Immutable<string | null>
  response_body: Immutable<string | null>
}

export type Tables = {
  people: People
  tokens: Tokens
  sessions: Sessions
  jobs: Jobs
  attempts: Attempts
  events: Events
  revisions: Revisions
  decisions: Decisions
  pushes: Pushes
  ref_updates: RefUpdates
  push_intents: PushIntents
  webhooks: Webhooks
  announcements: Announcements
  deliveries: Deliveries
  delivery_attempts: DeliveryAttempts
}
