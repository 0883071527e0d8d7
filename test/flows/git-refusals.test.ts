import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { askGit, type GitAsk, pktLine } from '../support/ask-git.ts'
import { jobToken, makeRepo, type RunningForge, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

const advertised = (repo: string, service: string): string => `/${repo}.git/info/refs?service=git-${service}`
const fetchType = { 'content-type': 'application/x-git-upload-pack-request' }

type Refusal = Readonly<{
  status: number
  where: string
  ask?: GitAsk
  says: RegExp
  headers?: Readonly<Record<string, RegExp>>
}>

const checkRefusal = async (
  t: Test,
  forge: RunningForge,
  { status, where, ask, says, headers = {} }: Refusal,
) => {
  const answer = await askGit(forge, where, ask)
  const text = answer.body.toString()
  t.equal(answer.status, status, where)
  t.match(answer.headers['content-type'], /^text\/plain/, 'never HTML where git reads')
  t.match(answer.headers['cache-control'], /no-store/)
  t.match(text, says)
  t.match(text, /^.{1,300}\n$/, 'one line, and no stack')
  for (const [name, value] of Object.entries(headers)) t.match(answer.headers[name], value, name)
}

t.test('each refusal has its status, its reason as text, and what the status promises', async (t) => {
  const forge = await startForge(t, { PUSH_MAX_BYTES: '100000' })
  const { base } = await makeRepo(t, forge)
  await makeRepo(t, forge, 'other')
  await makeRepo(t, forge, 'harmful')
  writeFileSync(path.join(forge.dataDir, 'repos/harmful.git/config'), '[core]\nbare = true\nsshCommand = x\n')
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const push = '/hello.git/git-receive-pack'
  const fetch = '/hello.git/git-upload-pack'
  const body = Buffer.from('0000')
  const challenge = { 'www-authenticate': /^Basic realm="[^"]+"/ }

  const refusals: readonly Refusal[] = [
    { status: 400, where: push, ask: { body: Buffer.from('garbage') }, says: /could not read/ },
    {
      status: 400,
      where: fetch,
      ask: { body, headers: { 'content-encoding': 'gzip' } },
      says: /Content-Encoding/,
    },
    {
      status: 401,
      where: advertised('hello', 'receive-pack'),
      ask: { token: null },
      says: /token/,
      headers: challenge,
    },
    { status: 401, where: push, ask: { token: null, body }, says: /token/, headers: challenge },
    { status: 401, where: push, ask: { token: 'spb_pat_x', body }, says: /token/i, headers: challenge },
    {
      status: 401,
      where: advertised('hello', 'upload-pack'),
      ask: { token: 'spb_pat_x' },
      says: /token/i,
      headers: challenge,
    },
    {
      status: 403,
      where: advertised('other', 'receive-pack'),
      ask: { token },
      says: /for hello, not for other/,
    },
    {
      status: 403,
      where: '/other.git/git-receive-pack',
      ask: { token, body },
      says: /for hello, not for other/,
    },
    { status: 403, where: advertised('harmful', 'upload-pack'), says: /core\.sshcommand/ },
    { status: 403, where: '/harmful.git/git-receive-pack', ask: { body }, says: /core\.sshcommand/ },
    { status: 404, where: advertised('absent', 'upload-pack'), says: /no repository absent/ },
    { status: 404, where: '/absent.git/git-receive-pack', ask: { body }, says: /no repository absent/ },
    { status: 404, where: '/hello.git/info/refs', says: /smart HTTP/ },
    { status: 404, where: advertised('hello', 'upload-archive'), says: /smart HTTP/ },
    { status: 404, where: '/hello.git/HEAD', says: /smart HTTP/ },
    { status: 404, where: '/hello.git/objects/info/packs', says: /smart HTTP/ },
    { status: 404, where: '/hello.git/git-shell', ask: { body }, says: /smart HTTP/ },
    { status: 404, where: '/hello.git', says: /repository/ },
    { status: 405, where: push, says: /POST/, headers: { allow: /^POST$/ } },
    { status: 405, where: fetch, ask: { method: 'PUT', body }, says: /POST/, headers: { allow: /^POST$/ } },
    {
      status: 405,
      where: advertised('hello', 'upload-pack'),
      ask: { method: 'POST', body },
      says: /GET/,
      headers: { allow: /^GET$/ },
    },
    {
      status: 413,
      where: fetch,
      ask: { body: Buffer.alloc(65 * 1024 * 1024, pktLine(`want ${base}\n`)) },
      says: /larger than/,
    },
    { status: 415, where: push, ask: { body, headers: fetchType }, says: /x-git-receive-pack-request/ },
    { status: 415, where: fetch, ask: { body, headers: { 'content-encoding': 'br' } }, says: /gzip/ },
  ]
  for (const refusal of refusals)
    await t.test(`${refusal.status} ${refusal.where}`, (t) => checkRefusal(t, forge, refusal))
})

t.test('too many requests are 429 with a time to wait', async (t) => {
  const forge = await startForge(t, { REQUESTS_PER_TOKEN: '5', FAILED_SIGN_INS: '2' })
  for (let n = 0; n < 5; n += 1) await forge.ask('/api/v1/me')
  const headers = { 'retry-after': /^[1-9]\d*$/ }
  await checkRefusal(t, forge, {
    status: 429,
    where: advertised('hello', 'receive-pack'),
    says: /Try again/i,
    headers,
  })
  const ask = { token: 'spb_pat_guess' }
  for (let n = 0; n < 2; n += 1) await askGit(forge, advertised('hello', 'receive-pack'), ask)
  await checkRefusal(t, forge, {
    status: 429,
    where: advertised('hello', 'receive-pack'),
    ask,
    says: /Try again/i,
    headers,
  })

  const few = await startForge(t, { REQUESTS_PER_ADDRESS: '3' })
  for (let n = 0; n < 4; n += 1) await few.ask('/healthz', { token: null })
  await checkRefusal(t, few, {
    status: 429,
    where: advertised('x', 'upload-pack'),
    says: /Try again/i,
    headers,
  })
})

t.test('a person at a terminal reads why', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  await makeRepo(t, forge, 'other')
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const options = { cwd: work, ca: forge.caFile }
  const wrong = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  const seen = async (...args: string[]) => {
    const ran = await tryGit(args, options)
    t.not(ran.code, 0)
    return ran.err
  }
  t.match(
    await seen('push', forge.remote('other', token), 'main'),
    /remote: This token is for hello, not for other\./,
  )
  t.match(await seen('clone', forge.remote('absent'), 'absent'), /remote: There is no repository absent\./)
  t.match(await seen('push', forge.remote('hello', wrong), 'main'), /Authentication failed/)
  t.match(
    await seen('push', forge.remote('hello', token), 'main:refs/heads/x'),
    /remote: refused: refs\/heads\/x: this token may push refs\/agents\/1\/\* only\./,
  )
  t.match(await seen('push', forge.remote('hello'), 'main'), /could not read Username/)
  await git(['fsck'], { cwd: path.join(forge.dataDir, 'repos/hello.git') })
})
