/** One step of an attempt: its two events, its log, and how it ended. */
import type { Step } from '../../server/protocol/runner.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { openStepLog, type StepLog } from './step-log.ts'

/** Runs `body` as the step. It resolves to the exit code that the step ends with, beside its result. */
export const inStep = async <T>(
  { events, logBudget }: Attempt,
  step: Step,
  body: (log: StepLog) => Promise<{ exit: number | null; result: T }>,
): Promise<T> => {
  const started = performance.now()
  const end = (exit: number | null): void => {
    events.append({ type: 'step', step, status: 'ended', exit, ms: Math.round(performance.now() - started) })
  }
  events.append({ type: 'step', step, status: 'started' })
  try {
    const { exit, result } = await logged(openStepLog(events, step, logBudget), body)
    end(exit)
    return result
  } catch (error) {
    end(null)
    throw error
  }
}

const logged = async <T>(opened: StepLog, body: (log: StepLog) => Promise<T>): Promise<T> => {
  using log = opened
  try {
    return await body(log)
  } catch (error) {
    if (error instanceof AttemptFailure) log.say(error.message)
    throw error
  }
}
