import t from 'tap'
import { openTurns } from '../../../server/git/turns.ts'

t.test('no more works are under way than there are turns, and all come in their order', async (t) => {
  const inTurn = openTurns(3)
  const started: number[] = []
  let running = 0
  let most = 0
  const work = (n: number) =>
    inTurn(async () => {
      started.push(n)
      running += 1
      most = Math.max(most, running)
      await new Promise((resolve) => setImmediate(resolve))
      running -= 1
      if (n % 4 === 0) throw new Error(`work ${n} failed`)
      return n
    })
  const ends = await Promise.allSettled(Array.from({ length: 20 }, (_, n) => work(n)))
  t.equal(most, 3)
  t.same(
    started,
    [...started].sort((a, b) => a - b),
  )
  t.equal(
    ends.filter(({ status }) => status === 'rejected').length,
    5,
    'a work that fails gives its turn back',
  )
  t.equal(await work(1), 1)
})
