/** The base's own tests on the proposal, in a container that never saw the agent. */
import type { CommitId, Digest } from '../../server/protocol/ids.ts'
import type { TestCommand } from '../../server/protocol/runner.ts'
import { planVerify } from '../engine/specs/container-plan.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { attemptMs, startClock } from './clock.ts'
import { type Container, openContainer } from './container.ts'
import { openMeter } from './meter.ts'
import { runInRepo } from './repo-command.ts'
import { inStep } from './step.ts'
import type { StepLog } from './step-log.ts'
import { checkOutProposal, layBaseTestsOver, prepareBase } from './test-tree.ts'
import { watchTrouble } from './trouble.ts'
import { openWorkVolume } from './work-volume.ts'

type Against = 'proposal' | 'base-tests'

/** Reports a result for each run of the tests, also where they could not run. Rejects only when the attempt is ended from outside. */
export const verify = async (attempt: Attempt, image: Digest, head: CommitId): Promise<void> => {
  const { test } = attempt.spec
  if (test === null) return report(attempt, notRun('proposal', 'The base declares no test command.'))
  const waiting: Against[] = test.paths.length > 0 ? ['proposal', 'base-tests'] : ['proposal']
  try {
    await inStep(attempt, 'verify', (log) => runTests(attempt, image, head, test, waiting, log))
  } catch (error) {
    if (isEnded(attempt)) throw error
    attempt.runner.log.warn({ err: error, job: attempt.spec.job }, 'tests could not run')
    const why = error instanceof Error ? error.message : String(error)
    for (const against of waiting) report(attempt, notRun(against, why))
  }
}

/** Out of time is no reason to lose a proposal that is there. */
const isEnded = ({ signal }: Attempt): boolean => {
  const why: unknown = signal.reason
  return signal.aborted && !(why instanceof AttemptFailure && why.reason === 'deadline')
}

/** Takes each run from `waiting` when its result is reported. */
const runTests = async (
  attempt: Attempt,
  image: Digest,
  head: CommitId,
  test: TestCommand,
  waiting: Against[],
  log: StepLog,
): Promise<{ exit: number | null; result: undefined }> => {
  const { runner, spec } = attempt
  await using volume = await openWorkVolume(attempt)
  const plan = planVerify({ runner: runner.id, spec }, image, volume.name, attemptMs(spec))
  await using container = await openContainer(attempt, plan)
  await using _meter = openMeter(attempt, container)
  using trouble = await watchTrouble(attempt, container)
  const signal = AbortSignal.any([attempt.signal, trouble.signal])
  await prepareBase(attempt, container, log, signal)
  await checkOutProposal(attempt, container, head, signal)

  let exit: number | null = null
  for (let against = waiting[0]; against !== undefined; against = waiting[0]) {
    if (against === 'base-tests') await layBaseTestsOver(attempt, container, test.paths, signal)
    const tested = await runOnce(attempt, container, log, test.command, against, signal)
    report(attempt, tested)
    waiting.shift()
    exit ??= tested.exit
    if (tested.exit === null) throw new AttemptFailure('timeout', 'The run before it did not end by itself.')
  }
  return { exit, result: undefined }
}

type Tested = {
  readonly against: Against
  readonly result: 'passed' | 'failed' | 'not-run'
  readonly why: string | null
  readonly exit: number | null
  readonly ms: number
}

const report = ({ events }: Attempt, tested: Tested): void => {
  events.append({ type: 'tested', ...tested })
}

const notRun = (against: Against, why: string): Tested => ({
  against,
  result: 'not-run',
  why: why.slice(0, 512),
  exit: null,
  ms: 0,
})

const testsTooLong = new AttemptFailure('timeout', 'The tests ran past their time limit.')

/** `exit` is null where the tests did not end by themselves: then something of them still runs. */
const runOnce = async (
  attempt: Attempt,
  container: Container,
  log: StepLog,
  command: string,
  against: Against,
  outer: AbortSignal,
): Promise<Tested> => {
  using clock = startClock(attempt.spec.limits.testMs, testsTooLong)
  const signal = AbortSignal.any([outer, clock.signal])
  const started = performance.now()
  const ms = (): number => Math.round(performance.now() - started)
  try {
    const exit = await runInRepo(attempt, container, log, command, signal)
    const passed = exit === 0
    const why = passed ? null : `The tests ended with ${exit}.`
    return { against, result: passed ? 'passed' : 'failed', why, exit, ms: ms() }
  } catch (error) {
    if (attempt.signal.aborted || !(error instanceof AttemptFailure)) throw error
    log.say(error.message)
    return { against, result: 'failed', why: error.message, exit: null, ms: ms() }
  }
}
