import { once } from 'node:events'
import net from 'node:net'
import t, { type Test } from 'tap'
import { apiError, listOf } from '../../server/protocol/api.ts'
import {
  createdWebhook,
  type DeliveryDetails,
  delivery,
  deliveryDetails,
} from '../../server/protocol/webhooks.ts'
import { startConsumer } from '../support/consumer.ts'
import { type RunningForge, startForge } from '../support/forge.ts'

const create = (forge: RunningForge, url: string) => forge.ask('/api/v1/webhooks', { body: { url } })

/** The ping of a new webhook, once it is no longer untried. */
const tried = async (forge: RunningForge, url: string): Promise<DeliveryDetails> => {
  const { id } = (await create(forge, url)).read(createdWebhook)
  const where = `/api/v1/webhooks/${id}/deliveries`
  for (;;) {
    const [ping] = (await forge.ask(where)).read(listOf(delivery)).items
    const details = ping && (await forge.ask(`${where}/${ping.id}`)).read(deliveryDetails)
    if (details && details.attempts.length > 0) return details
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Answers every connection with these bytes, and again, for as long as the other side reads. */
const startRaw = async (t: Test, head: string, forever: string): Promise<number> => {
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined)
    socket.write(head)
    const flood = (): void => {
      while (!socket.destroyed && socket.write(forever));
    }
    if (forever !== '') {
      socket.on('drain', flood)
      flood()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  return typeof address === 'object' && address ? address.port : 0
}

t.test('the forge is no way into its own network', async (t) => {
  const forge = await startForge(t)
  const consumer = await startConsumer(t)
  for (const host of [
    '127.0.0.1',
    'localhost',
    '127.1',
    '2130706433',
    '0x7f000001',
    '017700000001',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '[64:ff9b::7f00:1]',
    '0.0.0.0',
    '10.1.2.3',
    '192.168.0.1',
    '172.16.0.1',
    '100.64.0.1',
    '169.254.169.254',
    '[fd00:ec2::254]',
    '[fe80::1]',
  ]) {
    const answer = await create(forge, `http://${host}:${consumer.port}/`)
    t.equal(answer.status, 400, host)
    t.match(answer.read(apiError).error.message, /private address|never called/, host)
  }
  for (const url of [
    'file:///etc/passwd',
    'gopher://example.org/',
    'http://a:b@example.org/',
    'example.org',
    '',
  ])
    t.equal((await create(forge, url)).status, 400, url)
  t.equal(consumer.taken.length, 0)
})

t.test('only the very host that the owner allows is let through, and no metadata service is', async (t) => {
  const consumer = await startConsumer(t)
  const port = String(consumer.port)
  const forge = await startForge(t, { WEBHOOK_HOSTS: `127.0.0.1:${port}, 169.254.169.254` })
  t.equal((await create(forge, `http://127.0.0.1:${port}/`)).status, 201)
  t.equal((await create(forge, `http://127.0.0.1:${forge.port}/`)).status, 400, 'another port of it')
  t.equal((await create(forge, `http://localhost:${port}/`)).status, 400, 'another name of it')
  t.equal((await create(forge, `http://127.0.0.2:${port}/`)).status, 400)
  t.equal((await create(forge, 'http://169.254.169.254/')).status, 400)
  await consumer.count(1)
})

t.test('what was allowed once is judged again for each request', async (t) => {
  const consumer = await startConsumer(t)
  const env: Record<string, string> = { WEBHOOK_HOSTS: 'localhost' }
  const forge = await startForge(t, env)
  const ping = await tried(forge, `http://localhost:${consumer.port}/`)
  t.equal(ping.state, 'delivered')
  await forge.kill('SIGTERM')
  delete env['WEBHOOK_HOSTS']
  await forge.start()
  const where = `/api/v1/webhooks/${ping.webhook}/deliveries/${ping.id}`
  await forge.ask(`${where}/redeliver`, { method: 'POST', body: {} })
  const read = async () => (await forge.ask(where)).read(deliveryDetails)
  while ((await read()).state === 'waiting') await new Promise(setImmediate)
  t.match(await read(), { state: 'failed', attempts: [{}, { failure: /WEBHOOK_HOSTS=localhost/ }] })
  t.equal(consumer.taken.length, 1)
})

t.test('a redirect is not followed', async (t) => {
  const inside = await startConsumer(t)
  const outside = await startConsumer(t, (response) => {
    response.writeHead(307, { location: inside.url })
    response.end()
  })
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  const { attempts, state } = await tried(forge, outside.url)
  t.equal(state, 'waiting')
  t.match(attempts[0]?.failure, /answered 307: redirects are not followed/)
  t.equal(inside.taken.length, 0)
})

t.test('an answer without an end is cut, and what it says is bounded', async (t) => {
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  const port = await startRaw(t, 'HTTP/1.1 200 OK\r\n\r\n', 'x'.repeat(64 * 1024))
  const { state, attempts } = await tried(forge, `http://127.0.0.1:${port}/`)
  t.equal(state, 'delivered')
  t.equal(attempts[0]?.response?.body.length, 16 * 1024)
})

t.test('headers without an end, and what is no HTTP, are failures like others', async (t) => {
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  for (const [head, forever] of [
    ['HTTP/1.1 200 OK\r\n', 'x: y\r\n'],
    ['SSH-2.0-OpenSSH\r\n', ''],
    ['HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n', ''],
  ] as const) {
    const port = await startRaw(t, head, forever)
    const { state, attempts } = await tried(forge, `http://127.0.0.1:${port}/`)
    t.match(attempts[0], { failure: /could not be reached/, response: null }, head)
    t.equal(state, 'waiting')
  }
  t.equal((await forge.ask('/healthz')).status, 200)
})

t.test('a consumer that never answers is left after its time', async (t) => {
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' })
  const silent = await startConsumer(t, () => undefined)
  const { state, attempts } = await tried(forge, silent.url)
  t.match(attempts[0], { failure: /within 10 seconds/, response: null })
  t.equal(state, 'waiting')
})
