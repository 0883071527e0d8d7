import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t from 'tap'
import { makeRepo, type RunningForge, startForge } from '../support/forge.ts'

const post = (
  forge: RunningForge,
  service: string,
  body: Buffer,
  headers: Record<string, string> = {},
): Promise<{ status: number; type: string; text: string }> =>
  new Promise((resolve, reject) => {
    const request = https.request(
      `${forge.url}/hello.git/git-${service}`,
      {
        method: 'POST',
        ca: forge.ca,
        agent: false,
        headers: {
          authorization: `Bearer ${forge.token}`,
          'content-type': `application/x-git-${service}-request`,
          ...headers,
        },
      },
      (response) => {
        let text = ''
        response.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text }),
        )
      },
    )
    request.on('error', reject)
    request.end(body)
  })

t.test('a body that is not what it says is 400, and the forge lives', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const gzip = { 'content-encoding': 'gzip' }
  const bodies: [string, Buffer, Record<string, string>][] = [
    ['garbage as gzip', Buffer.from('this is no gzip'), gzip],
    ['gzip that is cut', gzipSync(Buffer.alloc(100_000, 'x')).subarray(0, 50), gzip],
    ['gzip of garbage', gzipSync(Buffer.from('garbage')), gzip],
    ['garbage as x-gzip', Buffer.from([0x1f, 0x8b, 1, 2, 3]), { 'content-encoding': 'x-gzip' }],
    ['plain garbage', Buffer.from('garbage'), {}],
    ['a pkt-line that lies on its length', Buffer.from('fff0x'), {}],
  ]
  for (const service of ['upload-pack', 'receive-pack']) {
    for (const [what, body, headers] of bodies) {
      const answer = await post(forge, service, body, headers)
      t.equal(answer.status, 400, `${service}: ${what}`)
      t.match(answer.type, /^text\/plain/, 'never HTML where git reads')
    }
    t.equal((await post(forge, service, Buffer.from('0000'), { 'content-encoding': 'br' })).status, 415)
    t.equal((await post(forge, service, Buffer.from('0000'), { 'content-type': 'text/plain' })).status, 415)
  }
  t.equal(
    (await post(forge, 'receive-pack', Buffer.from('0000'))).status,
    200,
    'git’s probe before a large push',
  )
  t.equal((await post(forge, 'archive', Buffer.from('0000'))).status, 404)
  t.equal((await forge.ask('/hello.git/HEAD', { token: null })).status, 404, 'no file is served')
  t.equal((await forge.ask('/hello.git/objects/info/packs', { token: null })).status, 404)
  t.equal((await forge.ask('/hello.git/info/refs', { token: null })).status, 404, 'no dumb protocol')
  t.equal(
    (await forge.ask('/hello.git/info/refs?service=git-upload-pack', { method: 'POST', body: {} })).status,
    405,
  )
  t.equal((await forge.ask('/absent.git/info/refs?service=git-upload-pack', { token: null })).status, 404)
  t.equal(existsSync(path.join(forge.dataDir, 'repos/absent.git')), false, 'nothing is made by asking')
  t.equal((await forge.ask('/healthz')).status, 200)
})

t.test('a gzip bomb as a fetch request is refused long before it is inflated', async (t) => {
  const forge = await startForge(t)
  const { base } = await makeRepo(t, forge)
  // Wants that git would go on reading for as long as they come.
  const bomb = gzipSync(Buffer.alloc(256 * 1024 * 1024, `0032want ${base}\n`))
  const answer = await post(forge, 'upload-pack', bomb, { 'content-encoding': 'gzip' })
  t.equal(answer.status, 413)
  t.equal((await forge.ask('/healthz')).status, 200)
})

t.test('a client that leaves in the middle of a push leaves nothing in objects/', async (t) => {
  const forge = await startForge(t)
  const { base } = await makeRepo(t, forge)
  const repo = path.join(forge.dataDir, 'repos/hello.git')
  const before = readdirSync(path.join(repo, 'objects')).sort()
  const request = https.request(`${forge.url}/hello.git/git-receive-pack`, {
    method: 'POST',
    ca: forge.ca,
    agent: false,
    headers: {
      authorization: `Bearer ${forge.token}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
  })
  request.on('error', () => undefined)
  const fresh = 'f'.repeat(40)
  const command = `${base} ${fresh} refs/heads/main\0report-status\n`
  request.write(`${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`)
  // A pack that promises more objects than will ever come.
  request.write(Buffer.concat([Buffer.from('PACK'), Buffer.from([0, 0, 0, 2, 0, 0, 3, 0])]))
  const incoming = (): boolean =>
    readdirSync(path.join(repo, 'objects')).some((name) => name.startsWith('tmp_objdir-incoming'))
  while (!incoming()) await new Promise((resolve) => setImmediate(resolve))
  request.destroy()
  while (incoming()) await new Promise((resolve) => setImmediate(resolve))
  t.same(readdirSync(path.join(repo, 'objects')).sort(), before)
  const children = spawn('pgrep', ['-P', String(forge.child().pid)])
  await once(children, 'exit')
  t.equal(children.exitCode, 1, 'no git child is left')
})
