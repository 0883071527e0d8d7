/** The agent's container, from its first instruction to its removal. */
import { setTimeout as delay } from 'node:timers/promises'
import type { Digest } from '../../server/protocol/ids.ts'
import type { SandboxAgent } from '../../server/protocol/jobs.ts'
import { planAgent } from '../engine/specs/container-plan.ts'
import { readUsage } from '../engine/usage.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { startClock } from './clock.ts'
import { cloneBase } from './clone.ts'
import { type Container, openContainer } from './container.ts'
import { openMeter } from './meter.ts'
import { runInRepo } from './repo-command.ts'
import { inStep } from './step.ts'
import { watchTrouble } from './trouble.ts'
import { forgeHost, openWire } from './wire.ts'
import type { WorkVolume } from './work-volume.ts'

/**
 * Clones, prepares and runs the agent. Resolves when its container is gone: to null where the agent ended
 * well, to the failure where it did not and may have left something worth keeping. Rejects with what went
 * wrong before that.
 */
export const runAgent = async (
  attempt: Attempt,
  image: Digest,
  work: WorkVolume,
): Promise<AttemptFailure | null> => {
  const { runner, spec } = attempt
  const allow = [forgeHost(spec), ...spec.allow]
  await using container = await openContainer(
    attempt,
    planAgent({ runner: runner.id, spec }, image, work.name),
  )
  await using _meter = openMeter(attempt, container)
  using clock = startClock(spec.limits.wallMs, timeout)
  using trouble = await watchTrouble(attempt, container)
  const signal = AbortSignal.any([attempt.signal, clock.signal, trouble.signal])
  await using _wire = await openWire(attempt, container, { allow, step: 'agent', signal })
  await clone(attempt, container, signal)
  await setUp(attempt, container, signal)
  return await letWork(attempt, container, signal)
}

const timeout = new AttemptFailure('timeout', 'The agent ran past its time limit and was ended.')

const clone = (attempt: Attempt, container: Container, signal: AbortSignal): Promise<void> =>
  inStep(attempt, 'clone', async (log) => {
    await cloneBase(attempt, container, log, signal).catch((error: unknown) => {
      if (error !== timeout) throw error
      throw new AttemptFailure('clone-failed', 'The forge could not be reached in the time of the job.')
    })
    return { exit: 0, result: undefined }
  })

const setUp = async (attempt: Attempt, container: Container, signal: AbortSignal): Promise<void> => {
  const { setup } = attempt.spec
  if (setup === null) return
  const exit = await inStep(attempt, 'setup', async (log) => {
    const code = await runInRepo(attempt, container, log, setup, signal)
    return { exit: code, result: code }
  })
  if (exit !== 0) throw new AttemptFailure('setup-failed', `The setup command ended with ${exit}.`)
}

const letWork = async (
  attempt: Attempt,
  container: Container,
  signal: AbortSignal,
): Promise<AttemptFailure | null> => {
  try {
    return await inStep(attempt, 'agent', async (log) => {
      const exit = await runInRepo(attempt, container, log, agentCommand(attempt.spec.agent), signal)
      return { exit, result: exit === 0 ? null : await explainExit(attempt, container, exit, signal) }
    })
  } catch (error) {
    if (attempt.signal.aborted || !(error instanceof AttemptFailure)) throw error
    return error
  }
}

const agentCommand = (agent: SandboxAgent): string => {
  switch (agent.kind) {
    case 'command':
      return agent.task
  }
}

/** The engine tells of want of memory about when the program that wanted it ends; at the latest after this. */
const newsMs = 1000

const explainExit = async (
  { runner, spec }: Attempt,
  container: Container,
  exit: number | null,
  signal: AbortSignal,
): Promise<AttemptFailure> => {
  await delay(newsMs, undefined, { signal }).catch(() => signal.throwIfAborted())
  const { pids } = await readUsage(runner.engine, container.id)
  // The program that ended was one of them.
  if (pids + 1 >= spec.limits.pids)
    return new AttemptFailure('too-many-processes', 'The sandbox is at its limit of processes.')
  return new AttemptFailure('agent-error', `The agent ended with ${exit}.`)
}
