/** A proposal that has arrived: its unmoving copy, its record, and the changes that its page shows. */
import type { Logger } from 'pino'
import { swapRef } from '../git/moving-refs.ts'
import { resolveRef } from '../git/reading.ts'
import {
  type AttemptNumber,
  type CommitId,
  commitId,
  type JobId,
  type RepoName,
  type TokenId,
} from '../protocol/ids.ts'
import { revisionRef } from '../protocol/refs.ts'
import type { Database } from '../store/database.ts'
import type { Webhooks } from '../webhooks/open-webhooks.ts'
import { type Changes, readChanges } from './changes.ts'

export type NewRevision = Readonly<{
  job: JobId
  attempt: AttemptNumber
  repo: RepoName
  path: string
  commit: CommitId
  token: TokenId
}>

type Parts = Readonly<{ db: Database; webhooks: Webhooks; log: Logger; now: () => number }>

export const openRevisions = ({ db, webhooks, log, now }: Parts) => {
  const rendering = new Set<Promise<void>>()
  /** Pages that are being read from git, so that many who ask at once cost what one does. */
  const reading = new Map<string, Promise<Changes>>()

  const read = async (path: string, job: JobId, attempt: AttemptNumber): Promise<Changes> => {
    const row = await db
      .selectFrom('revisions')
      .innerJoin('jobs', 'jobs.id', 'revisions.job')
      .select(['revisions.commit', 'revisions.changes', 'jobs.base_commit'])
      .where('revisions.job', '=', job)
      .where('revisions.attempt', '=', attempt)
      .executeTakeFirstOrThrow()
    // Written by this function alone, in this shape.
    if (row.changes !== null) return JSON.parse(row.changes) as Changes
    const changes = await readChanges(path, commitId.parse(row.base_commit), commitId.parse(row.commit))
    await db
      .updateTable('revisions')
      .set({ changes: JSON.stringify(changes) })
      .where('job', '=', job)
      .where('attempt', '=', attempt)
      .execute()
    return changes
  }

  const render = (path: string, job: JobId, attempt: AttemptNumber): Promise<Changes> => {
    const key = `${job}/${attempt}`
    const known = reading.get(key)
    if (known) return known
    const begun = read(path, job, attempt).finally(() => reading.delete(key))
    reading.set(key, begun)
    return begun
  }

  /** Once for each attempt, whoever finds the ref moved: post-receive, the end of the push, or the next start. */
  const store = async ({ job, attempt, repo, commit, token }: Omit<NewRevision, 'path'>): Promise<void> => {
    await db.transaction().execute(async (transaction) => {
      const before = await transaction
        .selectFrom('revisions')
        .select('commit')
        .where('job', '=', job)
        .where('attempt', '<', attempt)
        .orderBy('attempt', 'desc')
        .executeTakeFirst()
      const { numInsertedOrUpdatedRows: fresh } = await transaction
        .insertInto('revisions')
        .values({ job, attempt, commit, token, pushed_at: now(), changes: null })
        .onConflict((conflict) => conflict.doNothing())
        .executeTakeFirstOrThrow()
      if (fresh === 0n) return
      const earlier = before ? commitId.parse(before.commit) : null
      const sender = { kind: 'job' as const, job }
      await webhooks.announce(transaction, [
        { type: 'proposed', repo, job, attempt, commit, before: earlier, sender },
      ])
    })
  }

  return {
    /** The changes of a proposal: read once, then from the database. */
    changes: render,

    /** Records a proposal whose ref has moved, and begins to render its page. Doing it again changes nothing. */
    async record({ job, attempt, repo, path, commit, token }: NewRevision): Promise<void> {
      const ref = revisionRef(job, attempt)
      if (!(await swapRef(path, ref, commit, null)) && (await resolveRef(path, ref)) !== commit) {
        throw new Error(`${ref} is another commit already`)
      }
      await store({ job, attempt, repo, commit, token })
      const done = render(path, job, attempt)
        .then(() => undefined)
        .catch((error: unknown) => log.error({ err: error, job }, 'a proposal could not be rendered'))
      rendering.add(done)
      void done.finally(() => rendering.delete(done))
    },

    /** Drops the changes of a job's proposals, so that a diff does not outlive its refs. */
    async forgetChanges(job: JobId): Promise<void> {
      await db.updateTable('revisions').set({ changes: null }).where('job', '=', job).execute()
    },

    /** Resolves when no page is being rendered. */
    async idle(): Promise<void> {
      await Promise.all(rendering)
    },
  }
}

export type Revisions = ReturnType<typeof openRevisions>
