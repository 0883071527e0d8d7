/** When a delivery that was not taken is tried again. */

const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** A restart is waited for by the first, an outage of a night by the last. */
const delays = [2 * second, 15 * second, minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour] as const

/** When to try for the next time after `tries` attempts, the last at `now`; null: no more. Milliseconds. */
export const retryAt = (tries: number, now: number): number | null => {
  const delay = delays[tries - 1]
  return delay === undefined ? null : now + delay
}
