/** A job's events as they happen, across connections that break. */
import timers from 'node:timers/promises'
import { z } from 'zod'
import { stateEvent } from '../../../server/protocol/api.ts'
import { attemptNumber, type JobId, type RepoName } from '../../../server/protocol/ids.ts'
import { isActive } from '../../../server/protocol/jobs.ts'
import { jobEvent } from '../../../server/protocol/runner.ts'
import { Failure, isPassing } from '../failure.ts'
import type { Forge } from './address.ts'
import { jobPath } from './api.ts'
import { open, parseAnswer } from './ask.ts'
import { networkFailure } from './network-failure.ts'
import { type ServerSentEvent, serverSentEvents } from './server-sent-events.ts'

const numberedEvent = z.intersection(z.object({ attempt: attemptNumber }), jobEvent)

export type Followed =
  | { readonly kind: 'event'; readonly event: z.infer<typeof numberedEvent> }
  | { readonly kind: 'state'; readonly state: z.infer<typeof stateEvent> }
  | { readonly kind: 'lost'; readonly retryMs: number }

const firstRetryMs = 500
const lastRetryMs = 15_000
/** How long the forge may stay away before following it is given up. */
const patienceMs = 10 * 60_000
/** A stream on which nothing came for so long is dead. The forge sends a comment well before. */
const silenceMs = 60_000

/** How long to wait before the next try, after so many tries in a row that failed. */
const retryDelay = (failures: number): number =>
  Math.min(lastRetryMs, firstRetryMs * 2 ** Math.min(failures - 1, 10))

const parse = (forge: Forge, { event, data }: ServerSentEvent): Followed | null => {
  if (event === 'job') return { kind: 'event', event: parseAnswer(numberedEvent, forge, data) }
  if (event === 'state') return { kind: 'state', state: parseAnswer(stateEvent, forge, data) }
  return null
}

/** One connection's events, until the forge ends it, it breaks or falls silent. */
async function* connect(
  forge: Forge,
  path: string,
  lastId: string,
  signal: AbortSignal,
): AsyncGenerator<ServerSentEvent> {
  const headers = lastId === '' ? {} : { 'last-event-id': lastId }
  const accept = 'text/event-stream'
  const response = await open(forge, { method: 'GET', path, accept, headers }, undefined, signal)
  response.setTimeout(silenceMs, () => {
    response.destroy(new Failure('timed-out', `${forge.url} fell silent.`))
  })
  try {
    yield* serverSentEvents(response as AsyncIterable<Uint8Array>, lastId)
  } catch (error) {
    throw networkFailure(error, forge.url)
  } finally {
    response.destroy()
  }
}

/**
 * Follows the job until it is in a state that is not active; then, or when the signal aborts, it ends.
 * Each event comes once and in order. Gives up when the forge has been away for ten minutes.
 */
export async function* followJob(
  forge: Forge,
  repo: RepoName,
  job: JobId,
  signal: AbortSignal,
): AsyncGenerator<Followed> {
  let lastId = ''
  let failures = 0
  let alive = performance.now()
  while (!signal.aborted) {
    try {
      for await (const sent of connect(forge, `${jobPath(repo, job)}/events`, lastId, signal)) {
        failures = 0
        alive = performance.now()
        lastId = sent.id
        const followed = parse(forge, sent)
        if (followed === null) continue
        yield followed
        if (followed.kind === 'state' && !isActive(followed.state.state)) return
      }
    } catch (error) {
      if (signal.aborted) return
      if (!isPassing(error) || performance.now() - alive > patienceMs) throw error
    }
    failures += 1
    const retryMs = retryDelay(failures)
    yield { kind: 'lost', retryMs }
    await timers.setTimeout(retryMs, undefined, { signal }).catch(() => undefined)
  }
}
