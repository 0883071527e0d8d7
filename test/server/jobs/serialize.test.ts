import t from 'tap'
import { openSerialize } from '../../../server/jobs/serialize.ts'
import { jobId } from '../../../server/protocol/ids.ts'

const one = jobId.parse(1)
const two = jobId.parse(2)

t.test('what concerns one job happens one after the other, in order', async (t) => {
  const serialize = openSerialize()
  const said: string[] = []
  const work = (name: string) => async (): Promise<string> => {
    said.push(`${name} begins`)
    await new Promise(setImmediate)
    said.push(`${name} ends`)
    return name
  }
  t.same(await Promise.all(['a', 'b', 'c'].map((name) => serialize(one, work(name)))), ['a', 'b', 'c'])
  t.same(said, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
})

t.test('a failure is its own, and the next one has its turn', async (t) => {
  const serialize = openSerialize()
  const failed = serialize(one, async () => {
    throw new Error('no')
  })
  const next = serialize(one, async () => 'next')
  await t.rejects(failed, { message: 'no' })
  t.equal(await next, 'next')
})

t.test('jobs do not wait for one another', async (t) => {
  const serialize = openSerialize()
  const { promise, resolve } = Promise.withResolvers<void>()
  const slow = serialize(one, () => promise)
  t.equal(await serialize(two, async () => 'at once'), 'at once')
  resolve()
  await slow
})
