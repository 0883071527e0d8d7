import t from 'tap'
import { openProcessQueue } from '../../../server/git/process-queue.ts'

const patient = { waitMs: 60_000, waiting: 10 }

t.test('repositories take turns, however many of one wait', async (t) => {
  const queue = openProcessQueue({ all: 1, each: 1, ...patient })
  const order: string[] = []
  const leave = await queue.enter('first')
  const run = async (repo: string, name: string): Promise<void> => {
    const done = await queue.enter(repo)
    order.push(name)
    done()
  }
  const all = [run('busy', 'busy 1'), run('busy', 'busy 2'), run('busy', 'busy 3'), run('quiet', 'quiet')]
  leave()
  await Promise.all(all)
  t.same(order, ['busy 1', 'quiet', 'busy 2', 'busy 3'])
})

t.test('a repository has no more than its share while others have room', async (t) => {
  const queue = openProcessQueue({ all: 3, each: 1, ...patient })
  const leave = await queue.enter('a')
  let second = false
  const waiting = queue.enter('a').then((done) => {
    second = true
    return done
  })
  const other = await queue.enter('b')
  t.equal(second, false)
  leave()
  leave()
  const done = await waiting
  done()
  other()
})

t.test('who waits too long, or comes when too many wait, is sent away and leaves no trace', async (t) => {
  const queue = openProcessQueue({ all: 1, each: 1, waitMs: 1, waiting: 2 })
  const leave = await queue.enter('a')
  const waiting = [queue.enter('a'), queue.enter('a')]
  const results = Promise.allSettled(waiting)
  await t.rejects(queue.enter('a'), { code: 'too-busy', status: 429, retryAfterSeconds: 5 })
  t.same(
    (await results).map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  leave()
  const again = await queue.enter('a')
  again()
})
