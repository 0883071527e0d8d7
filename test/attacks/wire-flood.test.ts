import { once } from 'node:events'
import t from 'tap'
import { connectFrame, frame, frameType, greeting } from '../support/http2-frames.ts'
import { startSession } from '../support/session.ts'

const MiB = 1024 * 1024
const { headers, priority, settings, ping, windowUpdate, data, continuation, unknown } = frameType
const opened = connectFrame(1, 'allowed.test:443')
const allow = [{ host: 'allowed.test', port: 443, privateAddress: true }]
const lookup = async () => [{ address: '127.0.0.1', family: 4 }]

const floods: Record<string, readonly [first: Buffer, again: Buffer]> = {
  pings: [greeting, frame(ping, 0, 0, Buffer.alloc(8))],
  settings: [greeting, frame(settings, 0, 0)],
  priorities: [greeting, frame(priority, 0, 1, Buffer.from([0, 0, 0, 0, 1]))],
  'window updates': [Buffer.concat([greeting, opened]), frame(windowUpdate, 0, 1, Buffer.from([0, 0, 0, 1]))],
  'frames of no known type': [greeting, frame(unknown, 0, 0, Buffer.alloc(16))],
  'empty data': [Buffer.concat([greeting, opened]), frame(data, 0, 1)],
  'padding without data': [Buffer.concat([greeting, opened]), frame(data, 8, 1, Buffer.alloc(256, 255))],
  'a header without an end': [
    Buffer.concat([greeting, frame(headers, 0, 1, Buffer.from([0x82]))]),
    frame(continuation, 0, 1, Buffer.from([0x40, 1, 0x61, 1, 0x62])),
  ],
  'bytes after the window': [Buffer.concat([greeting, opened]), frame(data, 0, 1, Buffer.alloc(16_384, 22))],
}

for (const [what, [first, again]] of Object.entries(floods)) {
  for (const reads of [true, false]) {
    t.test(
      `a sandbox that floods its wire with ${what} seals itself${reads ? '' : ', also when it never reads'}`,
      async (t) => {
        const { peer, session } = startSession(t, { allow, lookup })
        const closed = once(peer, 'close')
        const before = process.memoryUsage.rss()
        if (reads) peer.resume()
        peer.write(first)
        const many = Buffer.concat(Array.from({ length: Math.ceil(65_536 / again.length) }, () => again))
        while (!peer.destroyed) {
          if (!peer.write(many)) await Promise.race([once(peer, 'drain'), closed])
        }
        t.match(await session.closed, /^(?:flood|lost)$/)
        t.ok(process.memoryUsage.rss() - before < 64 * MiB)
      },
    )
  }
}

t.test('streams beyond the sixty-four are refused, whatever the peer was told', async (t) => {
  const { peer, session, decisions } = startSession(t, { allow, lookup })
  peer.resume()
  const streams = Array.from({ length: 500 }, (_, index) => connectFrame(2 * index + 1, 'allowed.test:443'))
  peer.write(Buffer.concat([greeting, frame(settings, 1, 0), ...streams]))
  await session.closed
  t.ok(decisions.length <= 64, `${decisions.length} decisions`)
  t.ok(decisions.every(({ allowed }) => !allowed))
})

t.test('streams that are opened and reset at once are bounded like all others', async (t) => {
  const { peer, session, decisions } = startSession(t, { allow, lookup })
  peer.resume()
  const closed = once(peer, 'close')
  peer.write(greeting)
  for (let stream = 1; !peer.destroyed; stream += 2) {
    const cancel = frame(frameType.reset, 0, stream, Buffer.from([0, 0, 0, 8]))
    const pair = Buffer.concat([connectFrame(stream, 'allowed.test:443'), cancel])
    if (!peer.write(pair)) await Promise.race([once(peer, 'drain'), closed])
  }
  t.match(await session.closed, /^(?:too-many-connections|lost)$/)
  t.ok(decisions.length <= 1000, `${decisions.length} decisions`)
})
