/** Closes jobs of agents elsewhere that brought nothing while a token of theirs was valid. */
import type { Logger } from 'pino'
import { longestJobToken } from '../identity/token-store.ts'
import { type AttemptNumber, attemptNumber, type JobId, jobId } from '../protocol/ids.ts'
import type { Database } from '../store/database.ts'
import type { AttemptBook } from './attempt-book.ts'

type Parts = Readonly<{ db: Database; book: AttemptBook; log: Logger; now: () => number }>

export const openExternalDeadlines = ({ db, book, log, now }: Parts) => {
  const timers = new Map<JobId, NodeJS.Timeout>()
  const running = new Set<Promise<void>>()
  let stopped = false

  /** The attempt that still waits, and until when: a later token gives it more time. */
  const findWaiting = async (job: JobId): Promise<{ number: AttemptNumber; until: number } | null> => {
    const row = await db
      .selectFrom('attempts')
      .leftJoin('tokens', 'tokens.scope_job', 'attempts.job')
      .select(['attempts.number', 'attempts.created_at'])
      .select(({ fn }) => fn.max('tokens.expires_at').as('expires'))
      .where('attempts.job', '=', job)
      .where('attempts.state', '=', 'open')
      .groupBy(['attempts.number', 'attempts.created_at'])
      .executeTakeFirst()
    if (!row) return null
    const until = row.expires ?? row.created_at + longestJobToken
    return { number: attemptNumber.parse(row.number), until }
  }

  const check = async (job: JobId): Promise<void> => {
    timers.delete(job)
    const waiting = await findWaiting(job)
    if (!waiting) return
    const left = waiting.until - now()
    if (left > 0) arm(job, left)
    else await book.end(job, waiting.number, { state: 'failed', reason: 'deadline' }, null)
  }

  const begin = (job: JobId): void => {
    const done = check(job)
      .catch((error: unknown) => log.error({ err: error, job }, 'a job could not be closed at its deadline'))
      .finally(() => running.delete(done))
    running.add(done)
  }

  const arm = (job: JobId, ms: number): void => {
    clearTimeout(timers.get(job))
    if (!stopped) timers.set(job, setTimeout(begin, ms, job))
  }

  return {
    /** Looks after the job from now on. */
    watch: begin,

    /** Looks after every job that waits. */
    async resume(): Promise<void> {
      const rows = await db.selectFrom('attempts').select('job').where('state', '=', 'open').execute()
      for (const { job } of rows) begin(jobId.parse(job))
    },

    async stop(): Promise<void> {
      stopped = true
      for (const timer of timers.values()) clearTimeout(timer)
      await Promise.all(running)
    },
  }
}

export type ExternalDeadlines = ReturnType<typeof openExternalDeadlines>
