/** Brings queued attempts to the runner and follows them to their end, across restarts of either side. */

import { writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { TokenStore } from '../identity/token-store.ts'
import { type AttemptNumber, attemptNumber, type JobId, jobId } from '../protocol/ids.ts'
import { isActive, jobState, type Reason } from '../protocol/jobs.ts'
import type { AttemptSpec, JobEvent } from '../protocol/runner.ts'
import type { Database } from '../store/database.ts'
import type { AttemptBook } from './attempt-book.ts'
import { attemptSpecOf, deadlineOf } from './attempt-spec.ts'
import { openRunnerClient, type RunnerClient, RunnerError } from './runner-client.ts'

type Parts = Readonly<{
  db: Database
  tokens: TokenStore
  book: AttemptBook
  runner: { url: string; secret: string } | null
  /** How sandboxes reach this forge. */
  address: AttemptSpec['forge']
  salvageFile: (job: JobId, attempt: AttemptNumber) => string
  log: Logger
  now: () => number
}>

/** Attempts that one runner has at once; the others wait in the order of their ids. */
const mostAtOnce = 2
/** A courier’s token lives for this long. Milliseconds. */
const courierTokenMs = 10 * 60_000
const retryMs = [250, 500, 1000, 2000, 5000] as const

type Attempt = Readonly<{ job: JobId; number: AttemptNumber }>

export const openDispatcher = ({ db, tokens, book, runner, address, salvageFile, log, now }: Parts) => {
  const stopping = new AbortController()
  const attended = new Map<string, Promise<void>>()
  let reachable: boolean | null = null

  const rowOf = ({ job, number }: Attempt) =>
    db
      .selectFrom('attempts')
      .selectAll()
      .where('job', '=', job)
      .where('number', '=', number)
      .executeTakeFirstOrThrow()

  const fail = async ({ job, number }: Attempt, reason: Reason): Promise<void> => {
    const proposed = await book.isProposed(job, number)
    await book.end(job, number, { state: proposed ? 'proposed' : 'failed', reason }, null)
  }

  const giveToken = async (client: RunnerClient, spec: AttemptSpec): Promise<void> => {
    const scope = { repo: spec.repo, job: spec.job, expires: now() + courierTokenMs }
    const { text } = await tokens.create(`job ${spec.job}, attempt ${spec.attempt}`, { scope, by: null })
    await client.giveToken(spec.job, spec.attempt, text)
  }

  const take = async (client: RunnerClient, spec: AttemptSpec, event: JobEvent): Promise<void> => {
    const row = await rowOf({ job: spec.job, number: spec.attempt })
    // The end waits for the patch: after it the runner forgets, and the page offers what is here.
    if (event.type === 'ended' && row.salvaged_bytes !== null) {
      await writeFile(salvageFile(spec.job, spec.attempt), await client.salvaged(spec.job, spec.attempt), {
        mode: 0o600,
      })
    }
    await book.take(spec.job, spec.attempt, event)
    if (event.type === 'collected' && row.ended_at === null) await giveToken(client, spec)
  }

  /** Ends when the forge stops, or when the attempt should have ended long ago. */
  const patience = (
    spec: AttemptSpec,
    row: { dispatched_at: number | null; ended_at: number | null },
  ): AbortSignal => {
    const left = (row.dispatched_at ?? now()) + deadlineOf(spec) - now()
    return row.ended_at === null && left > 0
      ? AbortSignal.any([stopping.signal, AbortSignal.timeout(left)])
      : stopping.signal
  }

  /** One connection’s worth of following. True when the runner has told the end. */
  const followOnce = async (client: RunnerClient, spec: AttemptSpec): Promise<boolean> => {
    const attempt = { job: spec.job, number: spec.attempt }
    const { dispatched_at: dispatched } = await rowOf(attempt)
    if (dispatched === null) {
      await book.dispatching(spec.job, spec.attempt)
      await client.start(spec)
      await book.dispatched(spec.job, spec.attempt)
    }
    // The runner tells its end once; what is left is to let it forget.
    if (await book.hasEnded(spec.job, spec.attempt)) return true
    const row = await rowOf(attempt)
    // A forge that died after `collected` may have taken the token with it; the runner takes another one.
    const owed = dispatched !== null && row.collected !== null && row.ended_at === null
    if (owed && !(await book.isProposed(spec.job, spec.attempt))) await giveToken(client, spec)
    // Cancelled, or given up, while the runner could not be reached.
    if (row.cancel_at !== null || row.ended_at !== null) await client.cancel(spec.job, spec.attempt)
    for await (const event of client.follow(spec.job, spec.attempt, row.last_seq, patience(spec, row))) {
      reachable = true
      await take(client, spec, event)
      if (event.type === 'ended') return true
    }
    return false
  }

  const failIfOverdue = async (attempt: Attempt, spec: AttemptSpec): Promise<void> => {
    const { dispatched_at: since, ended_at: ended } = await rowOf(attempt)
    if (ended === null && since !== null && now() >= since + deadlineOf(spec)) await fail(attempt, 'deadline')
  }

  /** Whether the attempt needs no more following: decided by what went wrong. */
  const settleAfter = async (attempt: Attempt, error: unknown): Promise<boolean> => {
    if (!(error instanceof RunnerError)) {
      log.error({ err: error, job: attempt.job }, 'an attempt could not be followed; trying again')
      return false
    }
    switch (error.code) {
      case 'runner-unreachable':
        reachable = false
        return false
      case 'unknown-attempt':
        await fail(attempt, 'runner-lost')
        return true
      case 'runner-refused':
        log.error({ job: attempt.job, error: error.message }, 'the runner refused an attempt')
        await client?.cancel(attempt.job, attempt.number).catch(() => undefined)
        await fail(attempt, 'runner-refused')
        return true
    }
  }

  const isOver = async (attempt: Attempt): Promise<boolean> => {
    const row = await rowOf(attempt)
    return row.ended_at !== null && row.dispatched_at === null
  }

  const attend = async (attempt: Attempt, client: RunnerClient): Promise<void> => {
    const row = await db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', attempt.job)
      .executeTakeFirstOrThrow()
    const spec = attemptSpecOf(row, attempt.number, address)
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      if (await isOver(attempt)) return
      try {
        if (await followOnce(client, spec)) {
          await client.acknowledge(attempt.job, attempt.number)
          break
        }
      } catch (error) {
        if (stopping.signal.aborted) return
        if (await settleAfter(attempt, error)) break
      }
      await failIfOverdue(attempt, spec)
      await delay(retryMs[Math.min(failures, retryMs.length - 1)], undefined, {
        signal: stopping.signal,
      }).catch(() => undefined)
    }
    if (!stopping.signal.aborted) await book.acknowledged(attempt.job, attempt.number)
  }

  const waiting = async (): Promise<Attempt[]> => {
    const rows = await db
      .selectFrom('attempts')
      .select(['job', 'number', 'state', 'dispatched_at'])
      .where('acknowledged', '=', 0)
      .where('state', '!=', 'open')
      .orderBy('job')
      .execute()
    return rows
      .filter(({ state, dispatched_at }) => isActive(jobState.parse(state)) || dispatched_at !== null)
      .map(({ job, number }) => ({ job: jobId.parse(job), number: attemptNumber.parse(number) }))
  }

  const attendWaiting = async (client: RunnerClient): Promise<void> => {
    for (const attempt of await waiting()) {
      const key = `${attempt.job}/${attempt.number}`
      if (attended.has(key) || attended.size >= mostAtOnce || stopping.signal.aborted) continue
      const done = attend(attempt, client)
        .catch((error: unknown) =>
          log.error({ err: error, job: attempt.job }, 'an attempt could not be followed'),
        )
        .finally(() => {
          attended.delete(key)
          wake()
        })
      attended.set(key, done)
    }
  }

  let last: Promise<void> = Promise.resolve()
  const client = runner && openRunnerClient(runner)

  /** Looks for attempts to attend to. Never throws. */
  const wake = (): void => {
    if (!client || stopping.signal.aborted) return
    last = last
      .then(() => attendWaiting(client))
      .catch((error: unknown) => log.error({ err: error }, 'the queue could not be read'))
  }

  return {
    wake,

    /** Why queued jobs wait, as a sentence; null when nothing stands in their way. */
    holdup: (): string | null => {
      if (!client) return 'No runner is configured: set WORKSPACE_CONTROLLER_URL, then start the forge again.'
      return reachable === false ? 'The runner does not answer. The job starts when it does.' : null
    },

    /** Ends the attempt, at the runner where it has it. What a runner that is away reports later changes nothing. */
    async cancel({ job, number }: Attempt): Promise<void> {
      await db
        .updateTable('attempts')
        .set({ cancel_at: now() })
        .where('job', '=', job)
        .where('number', '=', number)
        .where('cancel_at', 'is', null)
        .execute()
      const { dispatched_at: dispatched } = await rowOf({ job, number })
      const told =
        dispatched !== null &&
        client !== null &&
        (await client.cancel(job, number).then(
          () => true,
          () => false,
        ))
      if (!told) await book.end(job, number, { state: 'cancelled', reason: 'cancelled' }, null)
    },

    /** Stops following. Attempts go on at the runner and are found again at the next start. */
    async stop(): Promise<void> {
      stopping.abort()
      await last
      await Promise.all(attended.values())
    },
  }
}

export type Dispatcher = ReturnType<typeof openDispatcher>
