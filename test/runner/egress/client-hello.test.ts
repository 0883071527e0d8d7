import fc from 'fast-check'
import t from 'tap'
import { parseClientHello } from '../../../runner/egress/client-hello.ts'
import { maxHelloBytes } from '../../../runner/egress/tls-record.ts'
import { clientHello, recut, serverNames, withExtensions } from '../../support/client-hello.ts'

const hello = await clientHello('git.example.org', { ALPNProtocols: ['h2', 'http/1.1'] })
const complete = { state: 'complete', serverName: 'git.example.org' }
const refused = (why: string) => ({ state: 'refused', why })

t.test('the name that a real client asks for is read', async (t) => {
  t.same(parseClientHello(hello), complete)
  t.same(parseClientHello(await clientHello('old.example.org', { maxVersion: 'TLSv1.2' })), {
    state: 'complete',
    serverName: 'old.example.org',
  })
})

t.test('no prefix of a hello is accepted, and each asks for more than it has', (t) => {
  for (const bytes of [hello, recut(hello, 7)]) {
    for (let length = 0; length < bytes.length; length += 1) {
      const said = parseClientHello(bytes.subarray(0, length))
      if (said.state !== 'incomplete' || said.needs <= length || said.needs > bytes.length)
        t.fail(`at ${length}`)
    }
  }
  t.end()
})

t.test('a hello in records of any size is the same hello', (t) => {
  for (let size = 1; size <= hello.length; size += 1) t.same(parseClientHello(recut(hello, size)), complete)
  t.end()
})

t.test('bytes after the last record are left alone', (t) => {
  t.same(parseClientHello(Buffer.concat([hello, Buffer.from('early data')])), complete)
  t.end()
})

t.test('names that two readers could read differently are refused', (t) => {
  const name = serverNames('git.example.org')
  const withNames = (...entries: (readonly [number, Buffer])[]) =>
    parseClientHello(withExtensions(hello, entries))
  t.same(withNames([0, name]), complete)
  t.same(withNames(), refused('no-server-name'))
  t.same(withNames([16, Buffer.alloc(2)]), refused('no-server-name'))
  t.same(withNames([0, serverNames('git.example.org', 'evil.test')]), refused('several-server-names'))
  t.same(withNames([0, name], [0, serverNames('evil.test')]), refused('malformed-hello'))
  t.same(withNames([0, name], [0xfe0d, Buffer.alloc(8)]), refused('encrypted-hello'))
  t.same(withNames([0, Buffer.alloc(0)]), refused('malformed-hello'))
  t.same(withNames([0, serverNames()]), refused('malformed-hello'))
  t.same(withNames([0, serverNames('')]), refused('malformed-hello'))
  t.same(withNames([0, Buffer.concat([name, Buffer.from([0])])]), refused('malformed-hello'))
  const otherType = Buffer.from(name)
  otherType.writeUInt8(1, 2)
  t.same(withNames([0, otherType]), refused('malformed-hello'))
  t.end()
})

t.test('a second message in the last record is refused', (t) => {
  const bytes = Buffer.concat([hello, hello.subarray(5)])
  bytes.writeUInt16BE(bytes.length - 5, 3)
  t.same(parseClientHello(bytes), refused('malformed-hello'))
  t.end()
})

t.test('what is no TLS is refused with its first byte', (t) => {
  t.same(parseClientHello(Buffer.from('G')), refused('not-tls'))
  t.same(parseClientHello(Buffer.from('SSH-2.0-x\r\n')), refused('not-tls'))
  t.same(parseClientHello(Buffer.from([0x80, 0x2e, 1, 0, 2])), refused('not-tls'), 'SSL 2')
  t.same(parseClientHello(Buffer.from([22, 4])), refused('not-tls'))
  t.same(parseClientHello(Buffer.from([22, 3, 1, 0, 4, 2, 0, 0, 0])), refused('not-tls'), 'a ServerHello')
  t.same(parseClientHello(Buffer.from([22, 3, 1, 0, 0])), refused('malformed-hello'), 'an empty record')
  const alertBetween = Buffer.concat([
    recut(hello, 100).subarray(0, 105),
    Buffer.from([21, 3, 3, 0, 2, 1, 0]),
  ])
  t.same(parseClientHello(alertBetween), refused('not-tls'))
  t.end()
})

t.test('a hello that cannot fit the cap is refused as soon as its length is known', (t) => {
  t.same(parseClientHello(Buffer.from([22, 3, 1, 0x40, 0])), refused('hello-too-large'))
  t.same(
    parseClientHello(Buffer.from([22, 3, 1, 0x40, 1])),
    refused('malformed-hello'),
    'over the size of a record',
  )
  t.same(parseClientHello(Buffer.from([22, 3, 1, 0, 4, 1, 0xff, 0xff, 0xff])), refused('hello-too-large'))
  const padded = withExtensions(hello, [
    [0, serverNames('git.example.org')],
    [21, Buffer.alloc(12_000)],
  ])
  t.same(parseClientHello(padded), complete)
  t.same(parseClientHello(recut(padded, 10)), refused('hello-too-large'), 'record headers count')
  t.ok(padded.length < maxHelloBytes)
  t.end()
})

t.test('hostile bytes are refused, incomplete or a hello, never an exception', (t) => {
  const mutated = fc
    .array(fc.tuple(fc.nat(hello.length - 1), fc.nat(255)), { minLength: 1, maxLength: 8 })
    .map((changes) => {
      const bytes = Buffer.from(hello)
      for (const [at, value] of changes) bytes.writeUInt8(value, at)
      return bytes
    })
  const random = fc.uint8Array({ maxLength: 400 }).map((bytes) => Buffer.from(bytes))
  const framed = random.map((bytes) =>
    Buffer.concat([Buffer.from([22, 3, 1, bytes.length >> 8, bytes.length & 255]), bytes]),
  )
  fc.assert(
    fc.property(fc.oneof(mutated, random, framed), (bytes) => {
      const said = parseClientHello(bytes)
      return said.state !== 'incomplete' || (said.needs > bytes.length && said.needs <= maxHelloBytes)
    }),
    { numRuns: 5000 },
  )
  t.end()
})
