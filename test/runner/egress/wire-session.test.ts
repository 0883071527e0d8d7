import { once } from 'node:events'
import type http2 from 'node:http2'
import net from 'node:net'
import t from 'tap'
import type { EgressDecision } from '../../../runner/egress/decision.ts'
import { clientHello } from '../../support/client-hello.ts'
import { clientOn, startSession } from '../../support/session.ts'
import { listen } from '../../support/wire.ts'

const hello = await clientHello('localhost')
const local = (port: number) => [{ host: 'localhost', port, privateAddress: true }]

const open = (client: http2.ClientHttp2Session, authority: string): http2.ClientHttp2Stream => {
  const stream = client.request({ ':method': 'CONNECT', ':authority': authority })
  stream.on('error', () => {})
  return stream
}

const statusOf = async (stream: http2.ClientHttp2Stream): Promise<unknown> => {
  const [headers] = (await once(stream, 'response')) as [http2.IncomingHttpHeaders]
  return headers[':status']
}

const closeOf = (stream: http2.ClientHttp2Stream): Promise<unknown> =>
  new Promise((resolve) => {
    stream.resume().once('close', () => resolve(stream.rstCode))
  })

const echo = (): net.Server => net.createServer((socket) => socket.on('error', () => {}).pipe(socket))

t.test('a session is ready when the other end has spoken', async (t) => {
  const { peer, session } = startSession(t, { allow: [] })
  clientOn(peer)
  await session.ready
  session.close()
  t.equal(await session.closed, 'closed')
})

t.test('an other end that says nothing is given up', async (t) => {
  const { session } = startSession(t, { allow: [], limits: { readyMs: 20 } })
  await t.rejects(session.ready)
  t.equal(await session.closed, 'not-ready')
})

t.test('an other end that does not speak HTTP/2 is given up', async (t) => {
  const { peer, session } = startSession(t, { allow: [] })
  peer.resume().write('GET / HTTP/1.1\r\n\r\n')
  await t.rejects(session.ready)
  t.equal(await session.closed, 'lost')
})

t.test('an other end that goes away ends the session', async (t) => {
  const { peer, session } = startSession(t, { allow: [] })
  peer.resume().end()
  t.equal(await session.closed, 'lost')
})

t.test('a stream that is already destroyed ends the session', async (t) => {
  const { peer, session } = startSession(t, { allow: [] })
  peer.destroy(new Error('gone'))
  session.close()
  t.equal(await session.closed, 'closed')
})

t.test('close resets every tunnel and its connection, and says when that is done', async (t) => {
  const server = echo()
  const port = await listen(t, server)
  const { peer, session } = startSession(t, { allow: local(port) })
  const client = clientOn(peer)
  const [connection] = (await Promise.all([
    once(server, 'connection'),
    ...Array.from({ length: 3 }, async () => {
      const stream = open(client, `localhost:${port}`)
      stream.write(hello)
      await once(stream, 'data')
    }),
  ])) as [[net.Socket]]
  session.close()
  t.equal(await session.closed, 'closed')
  await once(connection[0], 'close')
  t.ok(client.destroyed)
})

t.test('only CONNECT is understood', async (t) => {
  const { peer, decisions } = startSession(t, { allow: local(80) })
  const stream = clientOn(peer).request({ ':method': 'GET', ':path': '/', ':authority': 'localhost:80' })
  t.equal(await statusOf(stream), 405)
  t.same(decisions, [{ host: 'localhost', port: 80, allowed: false, why: 'not-connect' }])
})

const wrongStarts = [
  ['not-tls', (stream) => stream.write('SSH-2.0-x\r\n')],
  ['hello-timeout', (stream) => stream.write(hello.subarray(0, 40))],
  ['hello-cut', (stream) => stream.end(hello.subarray(0, 40))],
  ['abandoned', (stream) => stream.destroy(new Error('the client has left'))],
] satisfies [string, (stream: http2.ClientHttp2Stream) => unknown][]
for (const [why, start] of wrongStarts) {
  t.test(`after the 200 a refusal is a reset, and recorded once: ${why}`, async (t) => {
    const decided = Promise.withResolvers<EgressDecision>()
    const { peer, session, decisions } = startSession(t, {
      allow: local(443),
      limits: { helloMs: 50 },
      onDecision: decided.resolve,
    })
    const stream = open(clientOn(peer), 'localhost:443')
    t.equal(await statusOf(stream), 200)
    const closed = closeOf(stream)
    start(stream)
    await Promise.all([closed, decided.promise])
    session.close()
    await session.closed
    t.same(decisions, [{ host: 'localhost', port: 443, allowed: false, why }])
  })
}

t.test('a host that cannot be reached is a refusal with its own reason', async (t) => {
  const port = await listen(t, echo())
  const { peer, decisions } = startSession(t, {
    allow: local(port),
    lookup: async () => [{ address: '127.0.0.99', family: 4 }],
  })
  const stream = open(clientOn(peer), `localhost:${port}`)
  stream.write(hello)
  await closeOf(stream)
  t.same(decisions, [{ host: 'localhost', port, allowed: false, why: 'unreachable' }])
})

t.test('a name that does not resolve, or not in time, is a 502', async (t) => {
  const lookups = {
    fails: async () => Promise.reject(new Error('ENOTFOUND')),
    'is empty': async () => [],
    hangs: async () => new Promise<never>(() => {}),
  }
  for (const [name, lookup] of Object.entries(lookups)) {
    const { peer, decisions } = startSession(t, { allow: local(443), lookup, limits: { resolveMs: 20 } })
    t.equal(await statusOf(open(clientOn(peer), 'localhost:443')), 502, name)
    t.same(decisions, [{ host: 'localhost', port: 443, allowed: false, why: 'unresolved' }], name)
  }
})

t.test('closing does not wait for a resolver that hangs', async (t) => {
  const asked = Promise.withResolvers<void>()
  const lookup = () => {
    asked.resolve()
    return new Promise<never>(() => {})
  }
  const { peer, session, decisions } = startSession(t, { allow: local(443), lookup })
  open(clientOn(peer), 'localhost:443')
  await asked.promise
  session.close()
  await session.closed
  t.same(decisions, [{ host: 'localhost', port: 443, allowed: false, why: 'abandoned' }])
})

t.test('a tunnel ends when its time is over', async (t) => {
  const port = await listen(t, echo())
  const { peer } = startSession(t, { allow: local(port), limits: { tunnelMs: 100 } })
  const stream = open(clientOn(peer), `localhost:${port}`)
  stream.write(hello)
  await once(stream, 'data')
  await closeOf(stream)
  t.ok(stream.destroyed)
})

t.test(
  'a server that does not read the last bytes holds up neither its tunnel nor the session',
  async (t) => {
    const server = net.createServer({ pauseOnConnect: true, allowHalfOpen: true }, (socket) => socket.end())
    const port = await listen(t, server)
    const { peer, session } = startSession(t, { allow: local(port) })
    const stream = open(clientOn(peer), `localhost:${port}`)
    stream.write(hello)
    const [connection] = (await once(server, 'connection')) as [net.Socket]
    const closed = closeOf(stream)
    stream.end(Buffer.alloc(32 * 1024 * 1024))
    session.close()
    await Promise.all([session.closed, closed])
    connection.resume()
    await once(connection, 'close')
  },
)

t.test('the session ends when its tunnels have carried all that they may', async (t) => {
  const port = await listen(t, echo())
  const { peer, session } = startSession(t, { allow: local(port), limits: { bytes: 100_000 } })
  const stream = open(clientOn(peer), `localhost:${port}`)
  stream.write(hello)
  await once(stream, 'data')
  stream.write(Buffer.alloc(100_000))
  stream.resume()
  t.equal(await session.closed, 'too-many-bytes')
})

t.test('what the client sends with its hello counts too', async (t) => {
  const port = await listen(t, echo())
  const { peer, session } = startSession(t, { allow: local(port), limits: { bytes: hello.length } })
  open(clientOn(peer), `localhost:${port}`).write(Buffer.concat([hello, Buffer.alloc(1)]))
  t.equal(await session.closed, 'too-many-bytes')
})

t.test(
  'the session ends with one connection too many, and records no more decisions than connections',
  async (t) => {
    const { peer, session, decisions } = startSession(t, { allow: [], limits: { connections: 10 } })
    const client = clientOn(peer)
    for (let count = 0; count < 11; count += 1) open(client, 'evil.test:443')
    t.equal(await session.closed, 'too-many-connections')
    t.equal(decisions.length, 10)
  },
)

t.test('a decision that cannot be recorded ends the session before a byte has left', async (t) => {
  const arrived: Buffer[] = []
  const server = net.createServer((socket) => socket.on('data', (chunk) => arrived.push(chunk)))
  const port = await listen(t, server)
  const { peer, session } = startSession(t, {
    allow: local(port),
    onDecision: () => {
      throw new Error('the disk is full')
    },
  })
  open(clientOn(peer), `localhost:${port}`).write(hello)
  const [connection] = (await once(server, 'connection')) as [net.Socket]
  t.equal(await session.closed, 'internal-error')
  await once(connection, 'close')
  t.same(arrived, [])
})
