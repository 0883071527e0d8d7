import net from 'node:net'
import t from 'tap'
import { clientHello, serverNames, withExtensions } from '../support/client-hello.ts'
import { connectThrough, rest } from '../support/through-wire.ts'
import { listen, startWire } from '../support/wire.ts'

const honest = await clientHello('allowed.test')
const name = serverNames('allowed.test')

const hellos = {
  'another name': [await clientHello('evil.test'), 'server-name-differs'],
  'a longer name': [await clientHello('allowed.test.evil.test'), 'server-name-differs'],
  'an address': [withExtensions(honest, [[0, serverNames('127.0.0.1')]]), 'server-name-differs'],
  'a NUL after the name': [
    withExtensions(honest, [[0, serverNames('allowed.test\0.evil.test')]]),
    'server-name-differs',
  ],
  'a trailing dot': [withExtensions(honest, [[0, serverNames('allowed.test.')]]), 'server-name-differs'],
  'no name': [await clientHello(''), 'no-server-name'],
  'two names': [
    withExtensions(honest, [[0, serverNames('allowed.test', 'evil.test')]]),
    'several-server-names',
  ],
  'the extension twice': [
    withExtensions(honest, [
      [0, name],
      [0, serverNames('evil.test')],
    ]),
    'malformed-hello',
  ],
  'a name under encryption': [
    withExtensions(honest, [
      [0, name],
      [0xfe0d, Buffer.alloc(64)],
    ]),
    'encrypted-hello',
  ],
  'an HTTP request': [Buffer.from('GET / HTTP/1.1\r\nHost: allowed.test\r\n\r\n'), 'not-tls'],
  'an SSH client': [Buffer.from('SSH-2.0-OpenSSH_9.2\r\n'), 'not-tls'],
} as const

t.test('what a tunnel is opened for is what must go through it', async (t) => {
  let connections = 0
  const server = net.createServer((socket) => {
    connections += 1
    socket.on('error', () => {}).pipe(socket)
  })
  const port = await listen(t, server)
  const wire = await startWire(t, {
    allow: [{ host: 'allowed.test', port, privateAddress: true }],
    lookup: async () => [{ address: '127.0.0.1', family: 4 }],
  })
  for (const [what, [hello, why]] of Object.entries(hellos)) {
    const connected = await connectThrough(wire, `allowed.test:${port}`)
    t.equal(connected.status, 200, what)
    connected.socket.write(hello)
    t.equal((await rest(connected)).length, 0, what)
    t.same(wire.decisions.splice(0), [{ host: 'allowed.test', port, allowed: false, why }], what)
  }
  t.equal(connections, 0, 'the server never saw a connection')

  const connected = await connectThrough(wire, `allowed.test:${port}`)
  connected.socket.end(honest)
  t.same(await rest(connected), honest, 'the honest client works')
})
