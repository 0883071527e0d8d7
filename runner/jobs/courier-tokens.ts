/** The tokens that the forge gives for one attempt's push. They live in memory only. */

export type CourierTokens = {
  /** Takes a token; it replaces the one before. */
  readonly give: (token: string) => void
  /** The newest token that is not `refused`; waits for it. Rejects with the signal's reason. */
  readonly take: (refused: string | null, signal: AbortSignal) => Promise<string>
}

export const createCourierTokens = (): CourierTokens => {
  let newest: string | null = null
  let given = Promise.withResolvers<void>()

  return {
    give: (token) => {
      newest = token
      given.resolve()
      given = Promise.withResolvers()
    },
    take: async (refused, signal) => {
      const stopped = Promise.withResolvers<never>()
      const stop = (): void => stopped.reject(signal.reason)
      signal.addEventListener('abort', stop, { once: true })
      try {
        signal.throwIfAborted()
        while (newest === null || newest === refused) await Promise.race([given.promise, stopped.promise])
        return newest
      } finally {
        signal.removeEventListener('abort', stop)
      }
    },
  }
}
