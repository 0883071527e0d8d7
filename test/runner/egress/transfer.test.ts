import { once } from 'node:events'
import net from 'node:net'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import t, { type Test } from 'tap'
import { clientHello } from '../../support/client-hello.ts'
import { connectThrough } from '../../support/through-wire.ts'
import { listen, startWire } from '../../support/wire.ts'

const MiB = 1024 * 1024
const payload = 200 * MiB
const hello = await clientHello('localhost')

/** Reads like somebody who is always behind, and notes how much was under way and how memory grew. */
const slowRead = async (source: AsyncIterable<Buffer>, sent: () => number) => {
  const before = process.memoryUsage.rss()
  const seen = { bytes: 0, queued: 0, memory: 0 }
  for await (const chunk of source) {
    seen.bytes += chunk.length
    seen.queued = Math.max(seen.queued, sent() - seen.bytes)
    seen.memory = Math.max(seen.memory, process.memoryUsage.rss() - before)
    await new Promise(setImmediate)
  }
  return seen
}

/** So much out of one buffer, so that memory grows by nothing but what is queued. */
const source = (bytes = payload): { stream: Readable; sent: () => number } => {
  const chunk = Buffer.alloc(64 * 1024, 'x')
  let sent = 0
  const stream = new Readable({
    read() {
      sent += chunk.length
      this.push(chunk)
      if (sent === bytes) this.push(null)
    },
  })
  return { stream, sent: () => sent }
}

const some = 32 * MiB

/** Whoever speaks gets a source of their own, and may leave before its end. */
const manySources = (): net.Server =>
  net.createServer((socket) => {
    socket.once('data', () => void pipeline(source(some).stream, socket).catch(() => {}))
  })

const download = async (t: Test) => {
  const { stream, sent } = source()
  const port = await listen(
    t,
    net.createServer((socket) => socket.once('data', () => void pipeline(stream, socket))),
  )
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const { socket } = await connectThrough(wire, `localhost:${port}`)
  socket.write(hello)
  return await slowRead(socket, sent)
}

const upload = async (t: Test) => {
  const { stream, sent } = source()
  const server = net.createServer()
  const port = await listen(t, server)
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const { socket } = await connectThrough(wire, `localhost:${port}`)
  socket.write(hello)
  const [connection] = (await once(server, 'connection')) as [net.Socket]
  const [seen] = await Promise.all([slowRead(connection, sent), pipeline(stream, socket)])
  return { ...seen, bytes: seen.bytes - hello.length }
}

for (const [name, transfer] of Object.entries({ download, upload })) {
  t.test(`200 MiB of ${name} with a slow reader takes flat memory`, async (t) => {
    await transfer(t) // the first one also pays for compiled code and for the heap's usual size
    const { bytes, queued, memory } = await transfer(t)
    t.equal(bytes, payload)
    t.ok(queued < 32 * MiB, `${queued} bytes were under way at most`)
    t.ok(memory < 64 * MiB, `memory grew by ${memory} bytes at most`)
  })
}

t.test('busy tunnels do not starve the others', async (t) => {
  const port = await listen(t, manySources())
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const tunnels = await Promise.all(
    Array.from({ length: 32 }, () => connectThrough(wire, `localhost:${port}`)),
  )
  let ended = 0
  await Promise.all(
    tunnels.map(async ({ socket }) => {
      socket.once('end', () => {
        ended += 1
      })
      const first = once(socket, 'data')
      socket.write(hello)
      await first
    }),
  )
  t.equal(ended, 0, 'all had begun before any had ended')
  for (const { socket } of tunnels) socket.destroy()
})

t.test('a reader that has stopped holds up nobody else', async (t) => {
  const port = await listen(t, manySources())
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const stopped = await Promise.all(
    Array.from({ length: 63 }, () => connectThrough(wire, `localhost:${port}`)),
  )
  for (const { socket } of stopped) {
    const first = once(socket, 'data')
    socket.write(hello)
    await first
    socket.pause()
  }
  const { socket } = await connectThrough(wire, `localhost:${port}`)
  socket.write(hello)
  t.equal((await slowRead(socket, () => 0)).bytes, some)
  for (const one of stopped) one.socket.destroy()
})

t.test('heavy traffic in both directions at once does not lock the two ends up', async (t) => {
  const server = net.createServer({ allowHalfOpen: true }, (socket) =>
    socket.on('error', () => {}).pipe(socket),
  )
  const port = await listen(t, server)
  const wire = await startWire(t, { allow: [{ host: 'localhost', port, privateAddress: true }] })
  const echoed = Array.from({ length: 16 }, async () => {
    const { socket } = await connectThrough(wire, `localhost:${port}`)
    socket.write(hello)
    const [seen] = await Promise.all([slowRead(socket, () => 0), pipeline(source(8 * MiB).stream, socket)])
    return seen.bytes
  })
  t.same(
    await Promise.all(echoed),
    echoed.map(() => 8 * MiB + hello.length),
  )
})
