import type { Logger } from 'pino'
import type { Digest } from '../server/protocol/ids.ts'
import type { Engine } from './engine/engine.ts'

/** What every attempt shares. */
export type Runner = {
  /** Names this runner on the engine, also after a restart. */
  readonly id: string
  readonly engine: Engine
  /** The product's own image: of every container that is not the agent's, and of an agent that names no other. */
  readonly sandboxImage: Digest
  /** Further images that the owner allows. */
  readonly images: ReadonlySet<Digest>
  readonly log: Logger
}
