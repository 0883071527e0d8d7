/** What is written down of an attempt: its events, its state, its end. Each change is in the database before it is told. */
import type { AuditLog } from '../audit/log.ts'
import type { TokenStore } from '../identity/token-store.ts'
import type { AttemptNumber, JobId } from '../protocol/ids.ts'
import { isActive, jobState, reason } from '../protocol/jobs.ts'
import type { JobEvent, Used } from '../protocol/runner.ts'
import type { Database } from '../store/database.ts'
import type { Feed } from './feed.ts'
import { nextState, type Progress } from './next-state.ts'

type Parts = Readonly<{ db: Database; audit: AuditLog; tokens: TokenStore; feed: Feed; now: () => number }>

export const openAttemptBook = ({ db, audit, tokens, feed, now }: Parts) => {
  const isProposedIn = async (from: Database, job: JobId, attempt: AttemptNumber): Promise<boolean> => {
    const row = await from
      .selectFrom('revisions')
      .select('commit')
      .where('job', '=', job)
      .where('attempt', '=', attempt)
      .executeTakeFirst()
    return row !== undefined
  }

  const announceEnd = async (
    job: JobId,
    attempt: AttemptNumber,
    progress: Progress,
    used: Used | null,
    at: number,
  ): Promise<void> => {
    const intent = audit
      .openIntents()
      .find((entry) => entry.type === 'attempt-intended' && entry.job === job && entry.attempt === attempt)
    const ended = { ...progress, used, tokenSpend: null }
    await audit.append({ type: 'attempt-done', job, attempt, intent: intent?.seq ?? null, ...ended }, at)
  }

  /** Ends an attempt: its tokens first, then its state, then the audit. A second end changes nothing. */
  const end = async (
    job: JobId,
    attempt: AttemptNumber,
    progress: Progress,
    used: Used | null,
  ): Promise<void> => {
    await tokens.revokeOfJob(job)
    const at = now()
    const { numUpdatedRows } = await db
      .updateTable('attempts')
      .set({ ...progress, ended_at: at, used: used && JSON.stringify(used) })
      .where('job', '=', job)
      .where('number', '=', attempt)
      .where('ended_at', 'is', null)
      .executeTakeFirst()
    if (numUpdatedRows === 0n) return
    await announceEnd(job, attempt, progress, used, at)
    feed.publish(job)
  }

  const columnsOf = (event: JobEvent) => {
    switch (event.type) {
      case 'collected':
        return { collected: event.head }
      case 'salvaged':
        return { salvaged_bytes: event.bytes }
      case 'container':
      case 'step':
      case 'log':
      case 'dropped':
      case 'egress':
      case 'pushed':
      case 'tested':
      case 'ended':
        return {}
    }
  }

  return {
    end,

    /** Whether the attempt’s proposal has arrived. */
    isProposed: (job: JobId, attempt: AttemptNumber): Promise<boolean> => isProposedIn(db, job, attempt),

    /** Whether the runner’s last event is stored: it has nothing more to tell. */
    async hasEnded(job: JobId, attempt: AttemptNumber): Promise<boolean> {
      const row = await db
        .selectFrom('events')
        .select('seq')
        .where('job', '=', job)
        .where('attempt', '=', attempt)
        .where('type', '=', 'ended')
        .executeTakeFirst()
      return row !== undefined
    },

    /**
     * Takes over the runner’s next event. One that is known already changes nothing; a gap throws. The end is stored
     * in one step with its event: a forge that dies after it will not be told again.
     */
    async take(job: JobId, attempt: AttemptNumber, event: JobEvent): Promise<void> {
      const { seq, at: told, ...body } = event
      const at = now()
      const used = event.type === 'ended' ? event.used : null
      if (event.type === 'ended') await tokens.revokeOfJob(job)
      const outcome = await db
        .transaction()
        .execute(async (transaction): Promise<Progress | 'known' | null> => {
          const row = await transaction
            .selectFrom('attempts')
            .select(['state', 'reason', 'last_seq'])
            .where('job', '=', job)
            .where('number', '=', attempt)
            .executeTakeFirstOrThrow()
          if (seq <= row.last_seq) return 'known'
          if (seq !== row.last_seq + 1)
            throw new Error(`event ${seq} of job ${job} came after ${row.last_seq}`)
          const before = { state: jobState.parse(row.state), reason: reason.nullable().parse(row.reason) }
          const after = nextState(before, event, await isProposedIn(transaction, job, attempt))
          const ends = isActive(before.state) && !isActive(after.state)
          await transaction
            .insertInto('events')
            .values({ job, attempt, seq, at: Date.parse(told), type: event.type, body: JSON.stringify(body) })
            .execute()
          await transaction
            .updateTable('attempts')
            .set({
              last_seq: seq,
              ...columnsOf(event),
              ...after,
              ...(ends ? { ended_at: at, used: JSON.stringify(used) } : {}),
            })
            .where('job', '=', job)
            .where('number', '=', attempt)
            .execute()
          return ends ? after : null
        })
      if (outcome === 'known') return
      if (event.type === 'container') {
        const { purpose, id, image } = event
        await audit.append({ type: 'container', job, attempt, purpose, id, image }, at)
      }
      if (outcome) await announceEnd(job, attempt, outcome, used, at)
      feed.publish(job)
    },

    /**
     * An agent elsewhere has brought the proposal of this attempt, the first or a further one. The job’s token stays.
     * Doing it again changes nothing.
     */
    async brought(job: JobId, attempt: AttemptNumber): Promise<void> {
      const at = now()
      const proposed = { state: 'proposed', reason: null, ended_at: at }
      await db
        .insertInto('attempts')
        .values({ job, number: attempt, last_seq: 0, created_at: at, ...proposed })
        .onConflict((conflict) =>
          conflict
            .columns(['job', 'number'])
            .doUpdateSet(proposed)
            // Closed for its deadline while the push was under way.
            .where('attempts.state', 'in', ['open', 'failed']),
        )
        .execute()
      const entries = await audit.ofJob(job)
      if (!entries.some((entry) => entry.type === 'attempt-done' && entry.attempt === attempt)) {
        await audit.append(
          {
            type: 'attempt-done',
            job,
            attempt,
            intent: null,
            state: 'proposed',
            reason: null,
            used: null,
            tokenSpend: null,
          },
          at,
        )
      }
      feed.publish(job)
    },

    /** Notes that a runner is about to get the attempt; on disk before it does. */
    async dispatching(job: JobId, attempt: AttemptNumber): Promise<void> {
      const known = audit
        .openIntents()
        .some((entry) => entry.type === 'attempt-intended' && entry.job === job && entry.attempt === attempt)
      if (!known) await audit.append({ type: 'attempt-intended', job, attempt }, now())
    },

    async dispatched(job: JobId, attempt: AttemptNumber): Promise<void> {
      const at = now()
      await db
        .updateTable('attempts')
        .set({ dispatched_at: at, started_at: at })
        .where('job', '=', job)
        .where('number', '=', attempt)
        .execute()
      await db
        .updateTable('attempts')
        .set({ state: 'starting' })
        .where('job', '=', job)
        .where('number', '=', attempt)
        .where('state', '=', 'queued')
        .execute()
      feed.publish(job)
    },

    async acknowledged(job: JobId, attempt: AttemptNumber): Promise<void> {
      await db
        .updateTable('attempts')
        .set({ acknowledged: 1 })
        .where('job', '=', job)
        .where('number', '=', attempt)
        .execute()
    },
  }
}

export type AttemptBook = ReturnType<typeof openAttemptBook>
