/** The end of waiting for code that is not ours. */
import { setTimeout as after } from 'node:timers/promises'
import { ForgeError } from '../../errors.ts'

/** How long a callback or a listener may take. Milliseconds. */
const patienceMs = 300_000

/** What the promise resolves with. Throws ForgeError 503 when it does not settle in time, or when `over` fires. */
export const answerWithin = async <T>(promise: Promise<T>, over?: AbortSignal): Promise<T> => {
  const settled = new AbortController()
  const signal = over ? AbortSignal.any([over, settled.signal]) : settled.signal
  const late = after(patienceMs, undefined, { signal }).then(
    () => {
      throw new ForgeError('unavailable', 'The server did not decide in time. Try again.')
    },
    () => {
      throw new ForgeError('unavailable', 'The request has ended.')
    },
  )
  try {
    return await Promise.race([promise, late])
  } finally {
    settled.abort()
  }
}
