import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import https from 'node:https'
import net from 'node:net'
import { join } from 'node:path'
import t from 'tap'
import { makeCertificate } from '../../support/certificate.ts'
import { clientHello } from '../../support/client-hello.ts'
import { makeRepository, serveGit } from '../../support/git-over-https.ts'
import { connectThrough, rest, tlsThrough } from '../../support/through-wire.ts'
import { listen, run, startWire } from '../../support/wire.ts'

const { key, cert, certFile } = makeCertificate(t, ['localhost'])

t.test('curl reaches an allowed host through the wire', async (t) => {
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

t.test('git clones through the wire', async (t) => {
  const root = makeRepository(t)
  const port = await listen(t, https.createServer({ key, cert }, serveGit(root)))
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const into = join(root, 'clone')
  const git = await run('git', ['clone', '-q', `https://localhost:${port}/story.git`, into], {
    https_proxy: wire.proxy,
    GIT_SSL_CAINFO: certFile,
    GIT_CONFIG_NOSYSTEM: '1',
    HOME: '/nonexistent',
  })
  t.same(git, { code: 0, out: '', err: '' })
  t.equal(readFileSync(join(into, 'README.md'), 'utf8'), 'once upon a time\n')
})

t.test('a client that sends its hello together with CONNECT is served too', async (t) => {
  const server = net.createServer((socket) => socket.once('data', (bytes) => socket.end(bytes)))
  const port = await listen(t, server)
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const hello = await clientHello('localhost')
  const socket = net.connect(wire.port, '127.0.0.1')
  socket.write(Buffer.concat([Buffer.from(`CONNECT localhost:${port} HTTP/1.1\r\n\r\n`), hello]))
  const got = await rest({ status: 0, socket, head: Buffer.alloc(0) })
  t.same(got, Buffer.concat([Buffer.from('HTTP/1.1 200 Connection established\r\n\r\n'), hello]))
})

t.test('each direction may end before the other', async (t) => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    let bytes = 0
    socket.on('data', (chunk) => {
      bytes += chunk.length
    })
    socket.once('end', () => socket.end(`got ${bytes} bytes`))
  })
  const port = await listen(t, server)
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const hello = await clientHello('localhost')
  const connected = await connectThrough(wire, `localhost:${port}`)
  connected.socket.end(hello)
  t.equal(String(await rest(connected)), `got ${hello.length} bytes`)
})

t.test('a refused host is told why, and that trying again is no use', async (t) => {
  const wire = await startWire(t, { allow: [] })
  const connected = await connectThrough(wire, 'evil.test:443')
  t.equal(connected.status, 403)
  t.match(String(await rest(connected)), /not on the allow-list.*do not try again/)
  t.same(wire.decisions, [{ host: 'evil.test', port: 443, allowed: false, why: 'host-not-allowed' }])
})

t.test('plain HTTP through the proxy is a 405', async (t) => {
  const wire = await startWire(t, { allow: [{ host: 'localhost', port: 80, privateAddress: true }] })
  const curl = await run('curl', [
    '-sS',
    '-w',
    '%{http_code}',
    '--noproxy',
    '',
    '--proxy',
    wire.proxy,
    'http://localhost/',
  ])
  t.match(curl.out, /understands only CONNECT.*\n405$/)
  t.same(wire.decisions, [])
})

t.test('sixty-four connections work at once, and the one after them is turned away', async (t) => {
  const port = await listen(t, https.createServer({ key, cert }))
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const open = Array.from({ length: 64 }, () =>
    tlsThrough(wire, `localhost:${port}`, { ca: cert, servername: 'localhost' }),
  )
  const tunnels = await Promise.all(open)
  await t.rejects(connectThrough(wire, `localhost:${port}`))
  for (const tunnel of tunnels) tunnel.destroy()
  t.equal(wire.decisions.filter(({ allowed }) => allowed).length, 64)
})

t.test('a header that is too large is a 431', async (t) => {
  const wire = await startWire(t, { allow: [] })
  const socket = net.connect(wire.port, '127.0.0.1')
  socket.write(`CONNECT ${'a'.repeat(8192)}:443 HTTP/1.1\r\n\r\n`)
  t.match(String(await rest({ status: 0, socket, head: Buffer.alloc(0) })), /^HTTP\/1\.1 431 /)
  t.same(wire.decisions, [])
})

t.test('bytes that are no host name are refused, and the wire lives on', async (t) => {
  const wire = await startWire(t, { allow: [] })
  for (const authority of ['\xff\xfe:443', 'a\tb:443', '%00:443', 'a"b:443']) {
    const socket = net.connect(wire.port, '127.0.0.1')
    socket.write(Buffer.from(`CONNECT ${authority} HTTP/1.1\r\n\r\n`, 'latin1'))
    t.match(String(await rest({ status: 0, socket, head: Buffer.alloc(0) })), /^HTTP\/1\.1 (?:400|403|502) /)
  }
  t.equal((await connectThrough(wire, 'evil.test:443')).status, 403)
})

t.test('it exits when its stdin ends, and nothing listens any more', async (t) => {
  const wire = await startWire(t, { allow: [] })
  const exited = once(wire.child, 'exit')
  wire.child.stdin?.end()
  await exited
  t.equal(await wire.session.closed, 'lost')
  await t.rejects(connectThrough(wire, 'evil.test:443'), { code: 'ECONNREFUSED' })
})

t.test('when it is killed in the middle of a transfer, every tunnel ends', async (t) => {
  const ended = Promise.withResolvers<void>()
  const server = https.createServer({ key, cert }, (_request, response) => {
    response.once('close', ended.resolve)
    response.write(Buffer.alloc(1024))
  })
  const port = await listen(t, server)
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const client = await tlsThrough(wire, `localhost:${port}`, { ca: cert, servername: 'localhost' })
  client.on('error', () => {})
  client.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(client, 'data')
  wire.child.kill('SIGKILL')
  await Promise.all([ended.promise, once(client, 'close')])
  t.equal(await wire.session.closed, 'lost')
})
