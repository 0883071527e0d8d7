import { once } from 'node:events'
import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import t from 'tap'
import type { Authenticate } from '../../../../server/git/compat/authenticate.ts'
import type { GitEvent, PushEvent } from '../../../../server/git/compat/git-event.ts'
import { git, tryGit } from '../../../support/git.ts'
import { makeWork, serveGit } from '../../../support/git-server.ts'

/** Posts to the path as it is; fetch would tidy it up. */
const statusOf = async (url: string, target: string): Promise<number | undefined> => {
  const headers = { 'content-type': 'application/x-git-receive-pack-request' }
  const [answer] = (await once(
    http.request(url, { path: target, method: 'POST', headers, agent: false }).end('0000'),
    'response',
  )) as [http.IncomingMessage]
  answer.resume()
  return answer.statusCode
}

const withRoot = (url: string, password = 'root'): string => url.replace('//', `//root:${password}@`)

/** Only root may push; reading is for everybody. In each of the ways in which node-git-server can be told so. */
const ways: Record<string, Authenticate> = {
  'a callback': ({ type, user }, next) => {
    if (type === 'fetch') next()
    else user((name, password) => (name === password ? next() : next(new Error('that is not the password'))))
  },
  'a promise': ({ type, user }) =>
    new Promise((resolve, reject) => {
      if (type === 'fetch') resolve()
      else user((name, password) => (name === password ? resolve() : reject('that is not the password')))
    }),
  'an async function': async ({ type, user }) => {
    if (type === 'fetch') return
    const [name, password] = await user()
    if (name !== password) throw new Error('that is not the password')
  },
  'a promise of an error': async ({ type, user }) => {
    if (type === 'fetch') return undefined
    const [name, password] = await user()
    return name === password ? undefined : new Error('that is not the password')
  },
}

for (const [way, authenticate] of Object.entries(ways)) {
  t.test(`credentials are asked by ${way}, and on every request`, async (t) => {
    const asked: string[] = []
    const { server, url, folder } = await serveGit(t, {
      autoCreate: true,
      authenticate: (request, next) => {
        asked.push(`${request.type} ${request.repo} ${request.headers.host}`)
        return authenticate(request, next)
      },
    })
    const { work } = await makeWork(t)
    const anonymous = await tryGit(['push', `${url}/doom.git`, 'main'], { cwd: work })
    t.match(anonymous.err, /could not read Username|Authentication failed/)
    t.match(
      (await tryGit(['push', withRoot(`${url}/doom`, 'x'), 'main'], { cwd: work })).err,
      /Authentication/,
    )
    t.notOk(existsSync(path.join(folder, 'doom.git')), 'nothing is made for strangers')

    const post = await fetch(`${url}/doom/git-receive-pack`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
      body: '0000',
    })
    t.equal(post.status, 401, 'also where no info/refs came before')
    t.match(post.headers.get('www-authenticate'), /^Basic /)
    t.notOk(existsSync(path.join(folder, 'doom.git')))
    const wrong = await fetch(`${url}/doom/info/refs?service=git-receive-pack`, {
      headers: { authorization: `Basic ${Buffer.from('root:x').toString('base64')}` },
    })
    t.equal(await wrong.text(), 'that is not the password\n')

    asked.length = 0
    server.on('push', (push: PushEvent) => {
      t.equal(push.username, 'root')
      push.accept()
    })
    await git(['push', '-q', withRoot(`${url}/doom.git`), 'main'], { cwd: work })
    t.ok(asked.length >= 2, 'for info/refs and for the push itself')
    t.same([...new Set(asked)], [`push doom ${new URL(url).host}`])
    await git(['clone', '-q', `${url}/doom`, 'copy'], { cwd: work })
  })
}

t.test('a function that throws lets nobody in', async (t) => {
  const { url } = await serveGit(t, {
    authenticate: () => {
      throw new Error('no database')
    },
  })
  t.equal((await fetch(`${url}/doom/info/refs?service=git-upload-pack`)).status, 401)
})

t.test('what is no Basic header is no credential', async (t) => {
  const { url } = await serveGit(t, { authenticate: ({ user }, next) => user(() => next()) })
  for (const authorization of [
    'Bearer x',
    'Basic',
    'Basic !!!',
    `Basic ${btoa('nocolon')}`,
    'Digest a="b"',
  ]) {
    const answer = await fetch(`${url}/doom/info/refs?service=git-upload-pack`, {
      headers: { authorization },
    })
    t.equal(answer.status, 401, authorization)
  }
})

t.test('reading makes nothing: what would be made reads as empty', async (t) => {
  const { url, folder } = await serveGit(t, { autoCreate: true })
  const { work } = await makeWork(t)
  for (const version of ['0', '2'])
    await git(['-c', `protocol.version=${version}`, 'clone', '-q', `${url}/doom`, `v${version}`], {
      cwd: work,
    })
  const dry = await tryGit(['push', '--dry-run', `${url}/doom`, 'main'], { cwd: work })
  t.equal(dry.code, 0, dry.err)
  t.same(readdirSync(folder), [])
})

t.test('without autoCreate what is not there is not found', async (t) => {
  const { url, folder } = await serveGit(t, { autoCreate: false })
  const { work } = await makeWork(t)
  t.match((await tryGit(['clone', `${url}/doom`], { cwd: work })).err, /not found/)
  t.match((await tryGit(['push', `${url}/doom`, 'main'], { cwd: work })).err, /not found/)
  t.same(readdirSync(folder), [])
})

t.test('no name leads out of the folder or into a repository', async (t) => {
  const { url, folder } = await serveGit(t, { autoCreate: true })
  const { work } = await makeWork(t)
  await git(['push', '-q', `${url}/doom`, 'main'], { cwd: work })
  await git(['init', '-q', '--bare', path.join(folder, 'plain')], { cwd: work })
  const names = [
    '..%2fout',
    '%2e%2e%2fout',
    'a//b',
    'a/..%5c..',
    '-x',
    '.hidden',
    'a/.git',
    'doom.git/objects',
    'doom.git/x.git',
    'plain/objects/x',
    `${'x/'.repeat(300)}x`,
    'a.lock',
    'a%20b',
  ]
  for (const name of names) {
    t.equal(await statusOf(url, `/${name}/git-receive-pack`), 404, name.slice(0, 20))
  }
  t.same(readdirSync(folder).sort(), ['doom.git', 'plain'])
})

t.test('a repository whose config could run programs is not served', async (t) => {
  const { server, url, folder } = await serveGit(t)
  server.on('head', (head: GitEvent) => head.accept())
  await new Promise<void>((created) => server.create('doom', () => created()))
  writeFileSync(path.join(folder, 'doom.git/config'), '[core]\nbare = true\nalternateRefsCommand = touch x\n')
  for (const action of ['info/refs?service=git-upload-pack', 'info/refs?service=git-receive-pack', 'HEAD']) {
    const answer = await fetch(`${url}/doom/${action}`)
    t.equal(answer.status, 403, action)
    t.match(await answer.text(), /alternaterefscommand/)
  }
})
