import { once } from 'node:events'
import net from 'node:net'
import t from 'tap'
import { findFreePort } from '../../../scripts/demo/free-port.ts'

t.test('a port that is taken is passed over', async (t) => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the server has no port')
  t.ok((await findFreePort(address.port)) > address.port)
})
