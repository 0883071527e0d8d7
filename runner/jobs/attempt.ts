import type { AttemptSpec } from '../../server/protocol/runner.ts'
import type { Runner } from '../runner.ts'
import type { AttemptFolder } from './attempt-folder.ts'
import type { CourierTokens } from './courier-tokens.ts'
import type { EventFile } from './event-file.ts'
import type { LogBudget } from './step-log.ts'

/** One attempt at work: what its steps are given. */
export type Attempt = {
  readonly runner: Runner
  readonly spec: AttemptSpec
  readonly folder: AttemptFolder
  readonly events: EventFile
  readonly logBudget: LogBudget
  readonly tokens: CourierTokens
  /** Aborts with an AttemptFailure when all shall end at once. */
  readonly signal: AbortSignal
  /** What was measured so far. */
  readonly used: { cpuMs: number; peakBytes: number; diskBytes: number }
}
