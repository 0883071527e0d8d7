/** Durations in the words of a person. Runs on the forge and in the browser. */

/**
 * `340 ms`, `4.2 s`, `3 min 5 s`, `2 h 10 min`.
 * @param {number} ms
 * @returns {string}
 */
export const duration = (ms) => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`
  const seconds = Math.floor(ms / 1000)
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
