import type { LookupAddress } from 'node:dns'
import net from 'node:net'
import t from 'tap'
import { clientHello } from '../support/client-hello.ts'
import { connectThrough, rest } from '../support/through-wire.ts'
import { listen, startWire } from '../support/wire.ts'

const at = (...addresses: string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))

const victim = async (
  t: Parameters<typeof listen>[0],
): Promise<{ port: number; connections: () => number }> => {
  let connections = 0
  const server = net.createServer((socket) => {
    connections += 1
    socket.on('error', () => {}).pipe(socket)
  })
  return { port: await listen(t, server), connections: () => connections }
}

t.test('an allowed name whose owner points it inside leads nowhere', async (t) => {
  const { port, connections } = await victim(t)
  const answers = [
    at('127.0.0.1'),
    at('::1'),
    at('::ffff:127.0.0.1'),
    at('64:ff9b::7f00:1'),
    at('169.254.169.254'),
    at('1.1.1.1', '127.0.0.1'),
    at('127.0.0.1', '1.1.1.1'),
  ]
  for (const answer of answers) {
    const wire = await startWire(t, {
      allow: [{ host: 'rebound.test', port, privateAddress: false }],
      lookup: async () => answer,
    })
    const connected = await connectThrough(wire, `rebound.test:${port}`)
    t.equal(connected.status, 403)
    t.match(String(await rest(connected)), /may not reach/)
    t.same(wire.decisions, [{ host: 'rebound.test', port, allowed: false, why: 'address-refused' }])
  }
  t.equal(connections(), 0)
})

t.test('a host that the owner named as private still cannot become the metadata service', async (t) => {
  const wire = await startWire(t, {
    allow: [{ host: 'forge.lan', port: 80, privateAddress: true }],
    lookup: async () => at('169.254.169.254'),
  })
  t.equal((await connectThrough(wire, 'forge.lan:80')).status, 403)
})

t.test('a name is resolved once: the address that was judged is the one that is connected to', async (t) => {
  const { port, connections } = await victim(t)
  const answers = [at('127.0.0.1'), at('127.0.0.2')]
  let asked = 0
  const wire = await startWire(t, {
    allow: [{ host: 'rebound.test', port, privateAddress: true }],
    lookup: async () => answers[asked++] ?? [],
  })
  const hello = await clientHello('rebound.test')
  const connected = await connectThrough(wire, `rebound.test:${port}`)
  connected.socket.end(hello)
  t.same(await rest(connected), hello)
  t.equal(asked, 1)
  t.equal(connections(), 1)
})
