/** From the base to a proposal: the agent works, and what it left is taken over. */
import type { CommitId, Digest } from '../../server/protocol/ids.ts'
import { planCollect } from '../engine/specs/container-plan.ts'
import { runAgent } from './agent.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { collectMs, startClock } from './clock.ts'
import { commitWork, takeOver, type Work } from './collect.ts'
import { type Container, openContainer } from './container.ts'
import { inStep } from './step.ts'
import type { StepLog } from './step-log.ts'
import { openWorkVolume } from './work-volume.ts'

/**
 * Resolves to the commit to propose, whose objects lie in the attempt's pack, or to null where nothing
 * changed. Rejects where the agent failed; then what it had written is salvaged as a patch.
 */
export const work = async (attempt: Attempt, image: Digest): Promise<CommitId | null> => {
  const { runner, spec } = attempt
  await using volume = await openWorkVolume(attempt)
  // Before the agent's container, so that the volume is never without a user: it would be emptied.
  await using collector = await openContainer(
    attempt,
    planCollect({ runner: runner.id, spec }, runner.sandboxImage, volume.name, collectMs),
  )
  const failure = await runAgent(attempt, image, volume)
  const outcome = await inStep<CommitId | AttemptFailure | null>(attempt, 'collect', async (log) => {
    using clock = startClock(collectMs, tooLong)
    const signal = AbortSignal.any([attempt.signal, clock.signal])
    if (failure !== null) return await salvage(attempt, collector, log, failure, signal)
    return { exit: 0, result: await collect(attempt, collector, log, signal) }
  })
  if (outcome instanceof AttemptFailure) throw outcome
  return outcome
}

const tooLong = new AttemptFailure('collect-failed', 'Reading what the agent left took too long.')

const collect = async (
  attempt: Attempt,
  collector: Container,
  log: StepLog,
  signal: AbortSignal,
): Promise<CommitId | null> => {
  const { head, commits } = await commitWork(attempt, collector, log, signal)
  if (head === attempt.spec.base.commit) return null
  await takeOver(attempt, collector, 'pack', head, signal)
  attempt.events.append({ type: 'collected', head, commits })
  return head
}

/**
 * Resolves to the failure that the attempt ends with: what cannot be salvaged does not hide why it failed. The
 * exit code is that of the salvage itself, null where it went wrong.
 */
const salvage = async (
  attempt: Attempt,
  collector: Container,
  log: StepLog,
  failure: AttemptFailure,
  signal: AbortSignal,
): Promise<{ exit: 0 | null; result: AttemptFailure }> => {
  let ending = failure
  let exit: 0 | null = 0
  try {
    const { head, disk } = await commitWork(attempt, collector, log, signal)
    ending = refine(failure, disk)
    if (head !== attempt.spec.base.commit) {
      const bytes = await takeOver(attempt, collector, 'patch', head, signal)
      attempt.events.append({ type: 'salvaged', bytes })
    }
  } catch (error) {
    attempt.signal.throwIfAborted()
    exit = null
    log.say(error instanceof Error ? error.message : String(error))
  }
  log.say(ending.message)
  return { exit, result: ending }
}

const refine = (failure: AttemptFailure, { full }: Work['disk']): AttemptFailure =>
  failure.reason === 'agent-error' && full
    ? new AttemptFailure('disk-full', `${failure.message} Its disk is full.`)
    : failure
