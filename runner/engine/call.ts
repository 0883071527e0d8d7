/** How every request to the engine is made: with a deadline, and with one kind of error. */

/** The engine refused, answered nonsense, or did not answer. */
export class EngineError extends Error {
  override readonly name = 'EngineError'
  readonly code = 'engine-error'
  /** The engine's HTTP status, where it answered. */
  readonly status: number | null

  constructor(what: string, cause: unknown) {
    super(`The container engine could not ${what}: ${sentence(cause)}`, { cause })
    this.status = statusOf(cause)
  }
}

const sentence = (cause: unknown): string =>
  cause instanceof Error ? cause.message.trim() : 'it gave no reason'

const statusOf = (cause: unknown): number | null =>
  cause instanceof Error && 'statusCode' in cause && typeof cause.statusCode === 'number'
    ? cause.statusCode
    : null

export const defaultDeadlineMs = 30_000

/**
 * Makes one request. It rejects with an EngineError when the engine does, and after `ms` whatever the engine
 * or the client library do. `what` completes "The container engine could not …".
 */
export const callEngine = async <T>(
  what: string,
  request: (signal: AbortSignal) => Promise<T>,
  ms: number = defaultDeadlineMs,
): Promise<T> => {
  const deadline = AbortSignal.timeout(ms)
  const expired = Promise.withResolvers<never>()
  const expire = (): void => expired.reject(new Error(`no answer within ${ms} ms`))
  deadline.addEventListener('abort', expire, { once: true })
  try {
    return await Promise.race([request(deadline), expired.promise])
  } catch (error) {
    throw new EngineError(what, error)
  } finally {
    deadline.removeEventListener('abort', expire)
  }
}

/** Like `callEngine`, but null where the engine answers that there is no such thing. */
export const callEngineOrNull = async <T>(
  what: string,
  request: (signal: AbortSignal) => Promise<T>,
  ms?: number,
): Promise<T | null> => {
  try {
    return await callEngine(what, request, ms)
  } catch (error) {
    if (error instanceof EngineError && error.status === 404) return null
    throw error
  }
}
