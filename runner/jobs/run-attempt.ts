/** One attempt from top to bottom. */
import fs from 'node:fs/promises'
import type { Digest } from '../../server/protocol/ids.ts'
import type { JobEventBody } from '../../server/protocol/runner.ts'
import { removeLabelled } from '../engine/owned.ts'
import { attemptLabels } from '../engine/specs/labels.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { chooseImage } from './image.ts'
import { push } from './push.ts'
import { withLog } from './step.ts'
import { verify } from './verify.ts'
import { forgeHost } from './wire.ts'
import { work } from './work.ts'

type Ending = Pick<Extract<JobEventBody, { type: 'ended' }>, 'outcome' | 'reason'>

const perform = async (attempt: Attempt): Promise<Ending> => {
  const image = await withLog(attempt, 'clone', () => check(attempt))
  const head = await work(attempt, image)
  if (head === null) return { outcome: 'no-change', reason: null }
  await push(attempt, head)
  await verify(attempt, image, head)
  return { outcome: 'proposed', reason: null }
}

/** Refuses what cannot be done before anything is started. */
const check = async (attempt: Attempt): Promise<Digest> => {
  forgeHost(attempt.spec)
  return await chooseImage(attempt)
}

/** Runs the attempt to its end, whatever happens; `ended` is its last event, and nothing is left when it comes. */
export const runAttempt = async (attempt: Attempt): Promise<void> => {
  const started = performance.now()
  const ending = await perform(attempt).catch((error: unknown) => endingOf(attempt, error))
  await cleanUp(attempt)
  const wallMs = Math.round(performance.now() - started)
  attempt.events.append({ type: 'ended', ...ending, used: { wallMs, ...attempt.used } })
}

const endingOf = ({ runner, spec, signal }: Attempt, error: unknown): Ending => {
  // What an ended container or a closed stream throws is only the consequence.
  const cause: unknown = signal.aborted ? signal.reason : error
  if (!(cause instanceof AttemptFailure)) {
    runner.log.error({ err: cause, job: spec.job, attempt: spec.attempt }, 'an attempt failed')
    return { outcome: 'failed', reason: 'engine-error' }
  }
  runner.log.info({ job: spec.job, attempt: spec.attempt, reason: cause.reason }, cause.message)
  return { outcome: cause.reason === 'cancelled' ? 'cancelled' : 'failed', reason: cause.reason }
}

/** Every step removes what it made on the engine. This is for what a step could not remove. */
const cleanUp = async ({ runner, spec, folder }: Attempt): Promise<void> => {
  await fs.rm(folder.pack, { force: true })
  await removeLabelled(runner.engine, attemptLabels(runner.id, spec)).catch((error: unknown) => {
    runner.log.error({ err: error, job: spec.job, attempt: spec.attempt }, 'something of an attempt is left')
  })
}
