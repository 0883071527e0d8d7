import { setTimeout as delay } from 'node:timers/promises'

const pausesMs = [250, 500, 1000, 2000, 5000] as const

/**
 * Repeats until `attempt` resolves to something, with growing pauses. Only the signal ends it: it rejects
 * with its reason.
 */
export const retry = async <T>(signal: AbortSignal, attempt: () => Promise<T | undefined>): Promise<T> => {
  for (let failures = 0; ; failures += 1) {
    const result = await attempt()
    if (result !== undefined) return result
    signal.throwIfAborted()
    const pause = pausesMs[Math.min(failures, pausesMs.length - 1)]
    await delay(pause, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}
