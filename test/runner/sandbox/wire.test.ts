import https from 'node:https'
import t from 'tap'
import { makeCertificate } from '../../support/certificate.ts'
import { listen, run, startWire } from '../../support/wire.ts'

t.test('a client reaches an allowed host through the wire', async (t) => {
  const { key, cert, certFile } = makeCertificate(t, ['localhost'])
  const port = await listen(
    t,
    https.createServer({ key, cert }, (_request, response) => response.end('hello from outside')),
  )
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const curl = await run('curl', [
    '-sS',
    '--proxy',
    wire.proxy,
    '--cacert',
    certFile,
    `https://localhost:${port}/`,
  ])
  t.same(curl, { code: 0, out: 'hello from outside', err: '' })
  t.same(wire.decisions, [{ host: 'localhost', port, allowed: true, why: 'allowed' }])
})
