/** One step of an attempt: its two events, its log, and how it ended. */
import type { Step } from '../../server/protocol/runner.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { openStepLog, type StepLog } from './step-log.ts'

/** Runs `body` as the step. It resolves to the exit code that the step ends with, beside its result. */
export const inStep = async <T>(
  attempt: Attempt,
  step: Step,
  body: (log: StepLog) => Promise<{ exit: number | null; result: T }>,
): Promise<T> => {
  const { events } = attempt
  const started = performance.now()
  const end = (exit: number | null): void => {
    events.append({ type: 'step', step, status: 'ended', exit, ms: Math.round(performance.now() - started) })
  }
  events.append({ type: 'step', step, status: 'started' })
  try {
    const { exit, result } = await withLog(attempt, step, body)
    end(exit)
    return result
  } catch (error) {
    end(null)
    throw error
  }
}

/** Runs `body` with the step's log; where it fails, the log has the reason. */
export const withLog = async <T>(
  { events, logBudget }: Attempt,
  step: Step,
  body: (log: StepLog) => Promise<T>,
): Promise<T> => {
  using log = openStepLog(events, step, logBudget)
  try {
    return await body(log)
  } catch (error) {
    if (error instanceof AttemptFailure) log.say(error.message)
    throw error
  }
}
