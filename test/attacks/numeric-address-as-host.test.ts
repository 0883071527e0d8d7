import net from 'node:net'
import t from 'tap'
import { connectThrough } from '../support/through-wire.ts'
import { listen, startWire } from '../support/wire.ts'

t.test('the runner’s own services cannot be reached by writing their address in another way', async (t) => {
  let connections = 0
  const port = await listen(
    t,
    net.createServer(() => {
      connections += 1
    }),
  )
  const asked: string[] = []
  const wire = await startWire(t, {
    // Even an owner who put addresses on the list has not allowed them: only names are.
    allow: ['localhost', '127.0.0.1', '::1', '[::1]', '2130706433'].map((host) => ({
      host,
      port,
      privateAddress: true,
    })),
    lookup: async (host) => {
      asked.push(host)
      return [{ address: '127.0.0.1', family: 4 }]
    },
  })
  const hosts = [
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0x7f.0.0.1',
    '0177.0.0.1',
    '0',
    '127.0.0.1.',
    '[::1]',
  ]
  for (const host of [
    ...hosts,
    '::1',
    '[::ffff:127.0.0.1]',
    '[::ffff:7f00:1]',
    '[64:ff9b::7f00:1]',
    'localhost.',
  ]) {
    t.equal((await connectThrough(wire, `${host}:${port}`)).status, 403, host)
  }
  t.same(asked, [], 'nothing refused was ever resolved')
  t.equal(connections, 0)
  t.equal(wire.decisions.length, hosts.length + 5)
})
