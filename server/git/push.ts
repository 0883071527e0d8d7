/** A push, and what the forge does about it. */
import type { Pusher, RefUpdate } from '../../hooks/decide-push.ts'
import type { RepoName } from '../protocol/ids.ts'
import type { HookAnswer } from './hook-line.ts'
import type { Quarantine } from './inspect-push.ts'

/** A push on its way through git. */
export type PushInProgress = Readonly<{
  id: string
  repo: RepoName
  path: string
  pusher: Pusher
}>

/** What the forge does about a push. Each may throw, which refuses the push while it still can be. */
export type PushPolicy = Readonly<{
  /** Before any ref moves. `quarantine` holds the new objects; null when the push brings none. */
  decide(
    push: PushInProgress,
    updates: readonly RefUpdate[],
    quarantine: Quarantine | null,
  ): Promise<HookAnswer>
  /** After the refs moved: returns what the pusher reads. */
  record(push: PushInProgress, updates: readonly RefUpdate[]): Promise<readonly string[]>
  /** After git has ended. False where git ran to its end and told of no ref that it has moved. */
  settle(push: PushInProgress, mayHaveMoved: boolean): Promise<void>
}>
