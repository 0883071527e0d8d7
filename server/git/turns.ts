/** A few things at a time, in the order in which they were asked for. */

/** Each work starts when fewer than `most` others are under way. Works must not wait for one another. */
export const openTurns = (most: number) => {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running < most) running += 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      // A turn is handed on, or given back.
      const next = waiting.shift()
      if (next) next()
      else running -= 1
    }
  }
}
