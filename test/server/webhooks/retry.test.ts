import t from 'tap'
import { retryAt } from '../../../server/webhooks/retry.ts'

t.test('each wait is longer than the one before, and there is an end', async (t) => {
  const waits: number[] = []
  for (let tries = 1; ; tries += 1) {
    const at = retryAt(tries, 1000)
    if (at === null) break
    waits.push(at - 1000)
  }
  t.same(
    waits,
    [...waits].sort((a, b) => a - b),
  )
  t.equal(new Set(waits).size, waits.length)
  t.equal(waits.length, 7)
  const total = waits.reduce((sum, wait) => sum + wait, 0)
  t.ok(total > 8 * 3_600_000, 'a consumer may be away for a night')
})
