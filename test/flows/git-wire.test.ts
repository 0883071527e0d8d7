import https from 'node:https'
import path from 'node:path'
import { gzipSync } from 'node:zlib'
import t, { type Test } from 'tap'
import { askGit, type GitAsk, pktLine } from '../support/ask-git.ts'
import { commitFile, makeRepo, startForge } from '../support/forge.ts'
import { git, startGit } from '../support/git.ts'
import { countRows, movedRefs } from '../support/records.ts'

const service = (name: 'upload-pack' | 'receive-pack') => `/hello.git/info/refs?service=git-${name}`

/** A request for the one commit that the base is, as git of protocol 0 and of protocol 2 makes it. */
const fetchOf = (base: string): Readonly<Record<0 | 2, Buffer>> => ({
  0: Buffer.from(`${pktLine(`want ${base} side-band-64k ofs-delta\n`)}0000${pktLine('done\n')}`),
  2: Buffer.from(
    `${pktLine('command=fetch')}0001${pktLine('ofs-delta')}${pktLine(`want ${base}\n`)}${pktLine('done\n')}0000`,
  ),
})

/** A push of what the commit brings, as git makes it. */
const pushOf = async (work: string, base: string, commit: string, ref: string): Promise<Buffer> => {
  const child = startGit(['pack-objects', '--stdout', '--revs', '-q'], { cwd: work })
  child.stdin?.end(`${commit}\n^${base}\n`)
  const chunks: Buffer[] = []
  for await (const chunk of (child.stdout ?? []) as AsyncIterable<Buffer>) chunks.push(chunk)
  const command = pktLine(`${'0'.repeat(40)} ${commit} ${ref}\0report-status side-band-64k\n`)
  return Buffer.concat([Buffer.from(`${command}0000`), ...chunks])
}

/** Byte after byte, so that nothing comes as one piece. */
async function* inPieces(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7)
}

const open = async (t: Test) => {
  const forge = await startForge(t)
  return { forge, ...(await makeRepo(t, forge)) }
}

t.test('the protocol is the one that is asked for, and 0 where what is asked for is odd', async (t) => {
  const { forge, base } = await open(t)
  const firstLines = async (name: 'upload-pack' | 'receive-pack', version?: string) => {
    const headers = version === undefined ? {} : { 'git-protocol': version }
    const { status, headers: had, body } = await askGit(forge, service(name), { headers })
    t.equal(status, 200)
    t.equal(had['content-type'], `application/x-git-${name}-advertisement`)
    t.match(had['cache-control'], /no-cache/)
    return body.toString('latin1')
  }
  const named = (name: string) => `${pktLine(`# service=git-${name}\n`)}0000`
  t.ok((await firstLines('upload-pack', 'version=2')).startsWith('000eversion 2\n'))
  t.ok((await firstLines('upload-pack', 'version=1')).startsWith(`${named('upload-pack')}000eversion 1\n`))
  t.ok((await firstLines('receive-pack', 'version=1')).startsWith(`${named('receive-pack')}000eversion 1\n`))
  for (const odd of [
    undefined,
    'version=0',
    'version=3',
    'version=2:version=1',
    'version=2\tx',
    'VERSION=2',
    '',
  ])
    t.match(
      (await firstLines('upload-pack', odd)).slice(named('upload-pack').length + 4),
      new RegExp(`^${base} HEAD\0`),
      String(odd),
    )
  // Pushing has no protocol 2: such a client is answered in protocol 0.
  t.match((await firstLines('receive-pack', 'version=2')).slice(named('receive-pack').length + 4), base)
})

t.test('a body is understood plain, gzipped, in chunks and after a 100', async (t) => {
  const { forge, work, base } = await open(t)
  const ways: Readonly<Record<string, (body: Buffer) => GitAsk>> = {
    plain: (body) => ({ body }),
    gzip: (body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }),
    'x-gzip': (body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'x-gzip' } }),
    chunks: (body) => ({ body: inPieces(body) }),
    'gzip in chunks': (body) => ({ body: inPieces(gzipSync(body)), headers: { 'content-encoding': 'gzip' } }),
    'after a 100': (body) => ({ body, headers: { expect: '100-continue' } }),
  }
  for (const [way, ask] of Object.entries(ways)) {
    for (const [version, body] of Object.entries(fetchOf(base))) {
      const { headers = {}, ...rest } = ask(body)
      const answer = await askGit(forge, '/hello.git/git-upload-pack', {
        ...rest,
        headers: { ...headers, 'git-protocol': `version=${version}` },
      })
      t.equal(answer.status, 200, `fetch ${way}`)
      t.equal(answer.headers['content-type'], 'application/x-git-upload-pack-result')
      t.ok(answer.body.includes('PACK'), `fetch ${way} in protocol ${version}`)
    }
    const ref = `refs/heads/${way.replaceAll(' ', '-')}`
    const commit = await commitFile(work, 'file', way)
    const answer = await askGit(
      forge,
      '/hello.git/git-receive-pack',
      ask(await pushOf(work, base, commit, ref)),
    )
    t.equal(answer.status, 200, `push ${way}`)
    t.match(answer.body.toString('latin1'), `ok ${ref}`)
    t.match(movedRefs(forge, 'hello').at(-1), { ref, old: null, new: commit })
  }
})

t.test('git’s probe before a large push moves nothing, tells nobody and leaves no record', async (t) => {
  const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1:9' })
  const { work, base } = await makeRepo(t, forge)
  const hook = { url: 'http://127.0.0.1:9/', events: ['push', 'create'] }
  t.equal((await forge.ask('/api/v1/webhooks', { body: hook })).status, 201)
  const counts = () =>
    (['pushes', 'push_intents', 'announcements', 'deliveries'] as const).map((table) =>
      countRows(forge, table),
    )
  const untilTold = async (): Promise<void> => {
    while (countRows(forge, 'announcements') > 0) await new Promise((resolve) => setImmediate(resolve))
  }
  await untilTold()
  const before = counts()
  for (let n = 0; n < 3; n += 1) {
    const answer = await askGit(forge, '/hello.git/git-receive-pack', { body: Buffer.from('0000') })
    t.equal(answer.status, 200)
    t.equal(answer.body.length, 0)
    t.equal(answer.headers['content-type'], 'application/x-git-receive-pack-result')
  }
  t.same(counts(), before)
  const anonymous = { body: Buffer.from('0000'), token: null }
  t.equal(
    (await askGit(forge, '/hello.git/git-receive-pack', anonymous)).status,
    401,
    'it is what asks for a password',
  )

  await git(['push', '-q', forge.remote('hello', forge.token), 'main:refs/heads/told'], {
    cwd: work,
    ca: forge.caFile,
  })
  t.same(movedRefs(forge, 'hello').slice(1), [{ ref: 'refs/heads/told', old: null, new: base }])
  await untilTold()
  t.ok(countRows(forge, 'deliveries') > (before.at(-1) ?? 0), 'while a push is told')
})

t.test('requests share a connection, also after a refusal and with what was not read', async (t) => {
  const { forge, base } = await open(t)
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 })
  t.teardown(() => agent.destroy())
  const unread = Buffer.alloc(300_000, 'x')
  const rpc = (name: string) => `/hello.git/git-${name}`
  const requests: [number, string, GitAsk][] = [
    [200, service('upload-pack'), { headers: { 'git-protocol': 'version=2' } }],
    [200, rpc('upload-pack'), { body: fetchOf(base)[2], headers: { 'git-protocol': 'version=2' } }],
    [401, service('receive-pack'), { token: null }],
    [401, rpc('receive-pack'), { token: null, body: unread }],
    [200, service('receive-pack'), {}],
    [400, rpc('receive-pack'), { body: unread }],
    [415, rpc('receive-pack'), { body: unread, headers: { 'content-encoding': 'br' } }],
    [404, '/absent.git/git-receive-pack', { body: unread }],
    [200, rpc('receive-pack'), { body: Buffer.from('0000') }],
    [405, rpc('upload-pack'), {}],
    [
      400,
      rpc('upload-pack'),
      { body: Buffer.from('this is no gzip'), headers: { 'content-encoding': 'gzip' } },
    ],
    [200, rpc('upload-pack'), { body: fetchOf(base)[0] }],
  ]
  for (const [n, [status, where, ask]] of requests.entries()) {
    const answer = await askGit(forge, where, { ...ask, agent })
    t.equal(answer.status, status, `${n}: ${where}`)
    t.not(answer.headers['connection'], 'close')
    t.equal(answer.reused, n > 0, 'on the connection of the first')
  }
})

t.test('real git uses one connection for a clone and one for a push', async (t) => {
  const { forge, work } = await open(t)
  await commitFile(work, 'more', 'more\n')
  const connections = async (...args: string[]): Promise<number> => {
    const child = startGit(args, { cwd: work, ca: forge.caFile, env: { GIT_CURL_VERBOSE: '1' } })
    let seen = ''
    child.stderr?.on('data', (chunk: Buffer) => (seen += chunk.toString()))
    await new Promise((resolve) => child.once('close', resolve))
    t.equal(child.exitCode, 0, seen)
    return seen.match(/Connected to localhost/g)?.length ?? 0
  }
  const clone = path.join(work, '.git/clone')
  t.equal(await connections('clone', '-q', '--bare', forge.remote('hello'), clone), 1)
  t.equal(await connections('push', '-q', forge.remote('hello', forge.token), 'main'), 1)
})
