/** Counts that a test run printed. The proposal's own code may have printed them, so they are claims, never results. */
import type { JobEvent } from '../protocol/runner.ts'

const counts =
  /\b\d+\s+(?:tests?|passed|passing|failed|failing|failures?|skipped|ok)\b|^\W*(?:tests|pass|fail)\s+\d+/i
const mostClaims = 5
const longest = 200

/** The last few lines of the verify step's log that count tests. Pure. */
export const claimsIn = (events: readonly JobEvent[]): string[] =>
  events
    .flatMap((event) => (event.type === 'log' && event.step === 'verify' ? event.text.split('\n') : []))
    .map((line) => line.trim().slice(0, longest))
    .filter((line) => counts.test(line))
    .slice(-mostClaims)
