/** Jobs in a real store, and the events of a runner. */
import path from 'node:path'
import type { Test } from 'tap'
import { openAttemptBook } from '../../../server/jobs/attempt-book.ts'
import { openFeed } from '../../../server/jobs/feed.ts'
import {
  attemptNumber,
  commitId,
  digest,
  type JobId,
  jobId,
  repoName,
  toIso,
} from '../../../server/protocol/ids.ts'
import { refName } from '../../../server/protocol/refs.ts'
import { type JobEvent, type JobEventBody, jobEvent } from '../../../server/protocol/runner.ts'
import { openStore } from '../store/open.ts'

export const repo = repoName.parse('hello')
export const first = attemptNumber.parse(1)
export const commit = commitId.parse('ab'.repeat(20))
export const image = digest.parse(`sha256:${'cd'.repeat(32)}`)
export const used = { wallMs: 1, cpuMs: 2, peakBytes: 3, diskBytes: 4 }
export const done: JobEventBody = { type: 'ended', outcome: 'proposed', reason: null, used }

export const event = (seq: number, body: JobEventBody): JobEvent =>
  jobEvent.parse({ seq, at: toIso(1_800_000_000_000 + seq), ...body })

export const openJobs = async (t: Test) => {
  const store = await openStore(t)
  const { db, audit, tokens, now, folder } = store
  const feed = openFeed()
  const book = openAttemptBook({ db, audit, tokens, feed, now })
  const requester = (await tokens.create('owner', { by: null })).token.id
  return {
    ...store,
    feed,
    book,
    salvageFile: (job: number): string => path.join(folder, `${job}.patch`),
    /** A queued job with its first attempt. */
    add: async (): Promise<JobId> => {
      const { id } = await db
        .insertInto('jobs')
        .values({
          repo,
          requester,
          task: 'do it',
          agent: JSON.stringify({ kind: 'command', task: 'do it' }),
          base_ref: refName.parse('refs/heads/main'),
          base_commit: commit,
          workspace_file: '{}',
          created_at: now(),
        })
        .returning('id')
        .executeTakeFirstOrThrow()
      await db
        .insertInto('attempts')
        .values({ job: id, number: 1, state: 'queued', last_seq: 0, created_at: now() })
        .execute()
      return jobId.parse(id)
    },
    propose: async (job: number): Promise<void> => {
      await db
        .insertInto('revisions')
        .values({ job, attempt: 1, commit, token: requester, pushed_at: now(), changes: null })
        .execute()
    },
    rowOf: (job: number) =>
      db.selectFrom('attempts').selectAll().where('job', '=', job).executeTakeFirstOrThrow(),
    /** Resolves when the job has changed to what is asked for. */
    until: async (job: JobId, holds: () => Promise<boolean>): Promise<void> => {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>()
        const stop = feed.watch(job, resolve)
        try {
          if (await holds()) return
          await promise
        } finally {
          stop()
        }
      }
    },
  }
}
