/** Who stands behind the transport: it lets requests in, names their repository, and decides on pushes. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RefUpdate } from '../../hooks/decide-push.ts'
import type { CommitId, TokenId } from '../protocol/ids.ts'
import type { HookAnswer, HookCall } from './hook-line.ts'
import type { Quarantine } from './inspect-push.ts'
import type { GitRoute } from './route.ts'

export type GitRequest = Readonly<{ request: IncomingMessage; response: ServerResponse; route: GitRoute }>

/** A fetch that may go on. */
export type AdmittedFetch = Readonly<{
  path: string
  /** Told the first commit that the client wants, before git is; throws to refuse. Null: no need to look. */
  wants: ((commit: CommitId) => Promise<void>) | null
}>

/** What a hook has asked, and how its pusher is spoken to before it is answered. */
export type Hearing = Readonly<{
  call: HookCall
  /** Resolves when there is room for more. */
  say: (text: string) => Promise<void>
  /** Fires when git has ended: nobody waits for an answer any more. */
  over: AbortSignal
}>

/** A push that may go on. Its functions may throw, which refuses the push while it still can be. */
export type AdmittedPush = Readonly<{
  path: string
  /** What git's hooks must name, so that no other push is answered. */
  token: TokenId
  /** What hooks see of it, beside the token. */
  variables: Readonly<Record<string, string>>
  /** Outranks the configuration of the repository. */
  config: readonly (readonly [string, string])[]
  /** Before any ref moves. `quarantine` holds the new objects; null when the push brings none. */
  decide(updates: readonly RefUpdate[], quarantine: Quarantine | null, hearing: Hearing): Promise<HookAnswer>
  /** After the refs moved: returns what the pusher reads. */
  record(updates: readonly RefUpdate[], hearing: Hearing): Promise<readonly string[]>
  /** After git has ended. False where git ran to its end and told of no ref that it has moved. */
  settle(mayHaveMoved: boolean): Promise<void>
}>

/**
 * Both are called for every request, whichever came before on its connection, and throw ForgeError for what may not
 * go on. What they made for the request is there until `serve` has ended.
 */
export type GitHost = Readonly<{
  fetch(asked: GitRequest, serve: (fetch: AdmittedFetch) => Promise<void>): Promise<void>
  push(asked: GitRequest, serve: (push: AdmittedPush) => Promise<void>): Promise<void>
}>
