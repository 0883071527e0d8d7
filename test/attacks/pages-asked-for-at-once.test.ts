import { readdirSync, readFileSync } from 'node:fs'
import tls from 'node:tls'
import t from 'tap'
import { makeRepo, startForge } from '../support/forge.ts'

/** Processes whose parent is this one. */
const childrenOf = (pid: number | undefined): number =>
  readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false
    try {
      return (
        readFileSync(`/proc/${name}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ')[1] === String(pid)
      )
    } catch {
      return false
    }
  }).length

const linux = process.platform === 'linux' ? {} : { skip: 'reads /proc' }

t.test('hundreds of pages asked for on one connection start a few processes at a time', linux, async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const socket = tls.connect({ port: forge.port, host: '127.0.0.1', ca: forge.ca, servername: 'localhost' })
  socket.on('error', () => undefined)
  const asked = 300
  let answered = 0
  let most = 0
  let rest = ''
  const done = new Promise<void>((resolve) => {
    socket.on('data', (chunk: Buffer) => {
      const text = rest + chunk.toString('latin1')
      answered += text.split('HTTP/1.1 ').length - 1
      rest = text.slice(-8)
      if (rest.includes('HTTP/1.1')) rest = ''
      if (answered >= asked) resolve()
    })
    socket.once('close', () => resolve())
  })
  socket.write('GET /repos/hello HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(asked))
  // Others are served meanwhile.
  t.equal((await forge.ask('/healthz')).status, 200)
  const sampling = setInterval(() => (most = Math.max(most, childrenOf(forge.child().pid))), 10)
  await done
  clearInterval(sampling)
  t.equal(answered, asked)
  t.ok(most > 0 && most <= 16, `${most} processes`)
  socket.destroy()
})
