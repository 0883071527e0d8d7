import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import path from 'node:path'
import pino from 'pino'
import t, { type Test } from 'tap'
import { openApp } from '../../server/app.ts'
import { parseConfig } from '../../server/config.ts'
import { loadCertificate } from '../../server/http/certificate.ts'
import { ensureOwnerToken } from '../../server/identity/owner-token.ts'
import { listen } from '../../server/listen.ts'
import { openForge } from '../../server/open-forge.ts'
import { pktLine } from '../support/ask-git.ts'
import { git } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

/** A repository whose clone is more than all the buffers on the way hold. */
const largeRepo = async (t: Test, reposDir: string): Promise<string> => {
  const work = tempFolder(t)
  const options = {
    cwd: work,
    env: { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.compression', GIT_CONFIG_VALUE_0: '0' },
  }
  await git(['init', '-q', '-b', 'main'], options)
  writeFileSync(path.join(work, 'noise'), randomBytes(40 * 1024 * 1024))
  await git(['add', '-A'], options)
  await git(['commit', '-qm', 'Begin'], options)
  await git(['clone', '-q', '--bare', work, path.join(reposDir, 'large.git')], options)
  return git(['rev-parse', 'HEAD'], options)
}

/** The whole forge in this process, with less patience than it has for its users. */
const open = async (t: Test, idleMs: number) => {
  const dataDir = tempFolder(t)
  const reposDir = tempFolder(t)
  const base = await largeRepo(t, reposDir)
  const defaults = parseConfig({ DATA_DIR: dataDir, REPOS_DIR: reposDir, LISTEN: '127.0.0.1:0' })
  const config = { ...defaults, git: { ...defaults.git, idleMs } }
  const certificate = await loadCertificate(config, Date.now())
  const { forge, close } = await openForge(config, pino({ level: 'silent' }), certificate?.ca ?? null)
  const tokenFile = path.join(dataDir, 'owner-token')
  await ensureOwnerToken(forge.tokens, tokenFile, () => undefined)
  const handle = openApp(forge).callback()
  const server = await listen(
    config.listen,
    certificate,
    (request, response) => void handle(request, response),
  )
  t.teardown(async () => {
    await server.close()
    await close()
  })
  const token = readFileSync(tokenFile, 'utf8').trim()
  return {
    base,
    objects: path.join(reposDir, 'large.git/objects'),
    post: (service: string) =>
      https.request(`https://localhost:${server.port}/large.git/git-${service}`, {
        method: 'POST',
        ca: certificate?.ca ?? '',
        agent: false,
        headers: { authorization: `Bearer ${token}`, 'content-type': `application/x-git-${service}-request` },
      }),
  }
}

/** Whether a process that this one started still runs. */
const hasChildren = (): boolean =>
  readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8').trim() !== ''

const until = async (done: () => boolean): Promise<void> => {
  while (!done()) await new Promise((resolve) => setImmediate(resolve))
}

const fetchOf = (base: string): string => `${pktLine(`want ${base}\n`)}0000${pktLine('done\n')}`

t.test('a client that stops in the middle of its push is not waited for', async (t) => {
  const { post, base, objects } = await open(t, 1000)
  const before = readdirSync(objects).sort()
  const request = post('receive-pack')
  const gone = once(request, 'error')
  request.write(`${pktLine(`${base} ${'f'.repeat(40)} refs/heads/main\0report-status\n`)}0000`)
  request.write(Buffer.from('PACK\0\0\0\x02\0\0\x03\0', 'latin1'))
  await until(() => readdirSync(objects).length > before.length)
  await gone
  await until(() => !hasChildren())
  t.same(readdirSync(objects).sort(), before, 'and leaves nothing')
})

t.test('a client that stops reading its clone is not waited for', async (t) => {
  const { post, base } = await open(t, 1000)
  const request = post('upload-pack')
  request.end(fetchOf(base))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  const gone = new Promise((resolve) => response.once('close', resolve))
  response.on('error', () => undefined)
  t.ok(hasChildren())
  await until(() => !hasChildren())
  response.resume()
  await gone
  t.notOk(response.complete, 'what it reads later ends in the middle')
})

t.test('a clone that is slow, and moves, is served to its end', async (t) => {
  const idleMs = 2000
  const { post, base } = await open(t, idleMs)
  const began = performance.now()
  const request = post('upload-pack')
  request.end(fetchOf(base))
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  let bytes = 0
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  t.ok(response.complete)
  t.ok(bytes > 40 * 1024 * 1024)
  t.ok(performance.now() - began > idleMs, 'it took longer than a client may be idle')
})
