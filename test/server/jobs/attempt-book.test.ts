import t from 'tap'
import type { JobEventBody } from '../../../server/protocol/runner.ts'
import { commit, done, event, first, image, openJobs, repo, used } from './jobs.ts'

const started: JobEventBody = { type: 'step', step: 'agent', status: 'started' }
const container: JobEventBody = { type: 'container', purpose: 'agent', id: 'c0ffee', image }

t.test('events are taken over in order, and say how far the attempt is', async (t) => {
  const { book, add, rowOf, db } = await openJobs(t)
  const job = await add()
  await book.take(job, first, event(1, started))
  await book.take(job, first, event(2, { type: 'collected', head: commit, commits: 1 }))
  await book.take(job, first, event(3, { type: 'salvaged', bytes: 9 }))
  t.match(await rowOf(job), {
    state: 'running',
    last_seq: 3,
    collected: commit,
    salvaged_bytes: 9,
    ended_at: null,
  })
  t.equal((await db.selectFrom('events').selectAll().execute()).length, 3)
  t.equal(await book.hasEnded(job, first), false)
})

t.test('a gap is refused and leaves nothing behind', async (t) => {
  const { book, add, rowOf, db, audit } = await openJobs(t)
  const job = await add()
  const { seq } = audit.head()
  await t.rejects(book.take(job, first, event(2, container)), /came after 0/)
  t.match(await rowOf(job), { state: 'queued', last_seq: 0 })
  t.same(await db.selectFrom('events').selectAll().execute(), [])
  t.equal(audit.head().seq, seq)
})

t.test('an event that is known already changes nothing, and is not written down again', async (t) => {
  const { book, add, db, audit } = await openJobs(t)
  const job = await add()
  await book.take(job, first, event(1, container))
  const { seq } = audit.head()
  await book.take(job, first, event(1, container))
  await book.take(job, first, event(1, done))
  t.equal((await db.selectFrom('events').selectAll().execute()).length, 1)
  t.equal(audit.head().seq, seq)
})

t.test('the end revokes the job’s tokens, is stored with its event, and closes the intent', async (t) => {
  const { book, add, rowOf, tokens, audit, now, propose } = await openJobs(t)
  const job = await add()
  const { text } = await tokens.create('courier', { scope: { repo, job, expires: now() + 1000 }, by: null })
  await book.dispatching(job, first)
  await book.dispatching(job, first)
  t.equal(audit.openIntents().length, 1)
  await propose(job)
  await book.take(job, first, event(1, done))
  t.match(await rowOf(job), {
    state: 'proposed',
    reason: null,
    last_seq: 1,
    ended_at: now(),
    used: JSON.stringify(used),
  })
  t.equal(await tokens.verify(text), null)
  t.same(audit.openIntents(), [])
  t.match((await audit.ofJob(job)).at(-1), { type: 'attempt-done', state: 'proposed', used })
  t.equal(await book.hasEnded(job, first), true)
})

t.test('a second end, by whomever, changes nothing', async (t) => {
  const { book, add, rowOf, audit } = await openJobs(t)
  const job = await add()
  await book.end(job, first, { state: 'cancelled', reason: 'cancelled' }, null)
  const { seq } = audit.head()
  await book.end(job, first, { state: 'failed', reason: 'deadline' }, null)
  await book.take(job, first, event(1, started))
  await book.take(job, first, event(2, done))
  t.match(await rowOf(job), { state: 'cancelled', reason: 'cancelled', last_seq: 2 })
  t.equal(audit.head().seq, seq)
})

t.test('an end that races with an event stays an end', async (t) => {
  const { book, add, rowOf } = await openJobs(t)
  const job = await add()
  await Promise.all([
    book.take(job, first, event(1, started)),
    book.end(job, first, { state: 'cancelled', reason: 'cancelled' }, null),
  ])
  t.match(await rowOf(job), { state: 'cancelled' })
  t.not((await rowOf(job)).ended_at, null)
})

t.test('whoever watches the job is told after each change, and nobody else', async (t) => {
  const { book, add, feed } = await openJobs(t)
  const job = await add()
  const other = await add()
  let changes = 0
  const stop = feed.watch(job, () => (changes += 1))
  await book.take(other, first, event(1, started))
  t.equal(changes, 0)
  await book.take(job, first, event(1, started))
  t.equal(changes, 1)
  stop()
  await book.take(job, first, event(2, started))
  t.equal(changes, 1)
})

t.test('a job that was cancelled while it was sent out does not come back to life', async (t) => {
  const { book, add, rowOf } = await openJobs(t)
  const job = await add()
  await book.end(job, first, { state: 'cancelled', reason: 'cancelled' }, null)
  await book.dispatched(job, first)
  t.match(await rowOf(job), { state: 'cancelled' })
})
