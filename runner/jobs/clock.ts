/** Time limits, as signals that abort with the failure that they mean. */
import { type AttemptSpec, workMs } from '../../server/protocol/runner.ts'
import type { AttemptFailure } from './attempt-failure.ts'

export type Clock = Disposable & { readonly signal: AbortSignal }

/** Aborts after `ms` with `failure`. Stops when disposed. */
export const startClock = (ms: number, failure: AttemptFailure): Clock => {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(failure), ms)
  return { signal: controller.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

/** The forge closes an attempt five minutes after the agent's and the tests' time; the runner ends it before. */
const slackMs = 4 * 60_000

/** The most that an attempt may last, all in all. Milliseconds. */
export const attemptMs = (spec: Pick<AttemptSpec, 'limits' | 'test'>): number => workMs(spec) + slackMs

/** The most that reading what the agent left may last. Milliseconds. */
export const collectMs = 2 * 60_000
