/** Counts that a test run printed. The proposal's own code may have printed them, so they are claims, never results. */
import type { JobEvent } from '../protocol/runner.ts'

const counts =
  /\b\d+\s+(?:tests?|passed|passing|failed|failing|failures?|skipped|ok)\b|^\W*(?:tests|pass|fail)\s+\d+/i
/** What reporters put before a line. */
const mark = /^\W+/
const mostClaims = 5
const longest = 200

/** The last few lines of the verify step's log that count tests, each once. Pure. */
export const claimsIn = (events: readonly JobEvent[]): string[] => {
  const printed = events
    .map((event) => (event.type === 'log' && event.step === 'verify' ? event.text : ''))
    .join('')
  const claims = printed
    .split('\n')
    .filter((line) => counts.test(line))
    .map((line) => line.trim().replace(mark, '').slice(0, longest))
  return [...new Set(claims)].slice(-mostClaims)
}
