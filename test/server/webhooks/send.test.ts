import dns from 'node:dns/promises'
import t from 'tap'
import { send } from '../../../server/webhooks/send.ts'
import { startConsumer } from '../../support/consumer.ts'

const stop = new AbortController().signal
const body = Buffer.from('{}')

t.test('a name is resolved once: what was judged is what is connected to', async (t) => {
  const consumer = await startConsumer(t)
  const answers = ['127.0.0.1', '10.0.0.1', '10.0.0.1']
  const asked: string[] = []
  const lookup = async (host: string) => {
    asked.push(host)
    return [{ address: answers.shift() ?? '', family: 4 }]
  }
  t.intercept(dns, 'lookup', { value: lookup })
  const outcome = await send(new URL(`http://rebinding.example:${consumer.port}/`), {}, body, {
    allowed: new Set(['rebinding.example']),
    stop,
  })
  t.match(outcome, { taken: true })
  t.same(asked, ['rebinding.example'])
  t.equal(consumer.taken[0]?.headers['host'], `rebinding.example:${consumer.port}`)
})

t.test('one private address among public ones refuses them all', async (t) => {
  t.intercept(dns, 'lookup', {
    value: async () => [
      { address: '203.0.114.7', family: 4 },
      { address: 'fd12::7', family: 6 },
    ],
  })
  const outcome = await send(new URL('https://mixed.example/'), {}, body, { allowed: new Set(), stop })
  t.match(outcome, { taken: false, final: true, answer: null, failure: /WEBHOOK_HOSTS=mixed\.example/ })
})

t.test('a name that has no address is tried again', async (t) => {
  const outcome = await send(new URL('https://nothing.invalid/'), {}, body, { allowed: new Set(), stop })
  t.match(outcome, { taken: false, final: false, failure: /nothing\.invalid could not be resolved/ })
})

t.test('an attempt that the forge’s end breaks off counts as not made', async (t) => {
  const consumer = await startConsumer(t, () => undefined)
  const ending = new AbortController()
  const sent = send(new URL(consumer.url), {}, body, { allowed: new Set(['127.0.0.1']), stop: ending.signal })
  await consumer.count(1)
  ending.abort()
  await t.rejects(sent)
})
