import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { PushEvent, TagEvent } from '../../../../server/git/compat/git-event.ts'
import { GitServer } from '../../../../server/git/git-server.ts'
import { makeCertificate } from '../../../support/certificate.ts'
import { freePort } from '../../../support/forge.ts'
import { git, tryGit } from '../../../support/git.ts'
import { makeWork, serveGit } from '../../../support/git-server.ts'
import { tempFolder } from '../../../support/temp.ts'

t.test('a push makes its repository, and a clone brings what was pushed', async (t) => {
  const { url, folder } = await serveGit(t)
  const { work } = await makeWork(t, 'master')
  await git(['push', '-q', `${url}/doom`, 'master'], { cwd: work })
  const target = tempFolder(t)
  await git(['clone', '-q', `${url}/doom`], { cwd: target })
  t.equal(readFileSync(path.join(target, 'doom/a.txt'), 'utf8'), 'abcd')
  t.ok(existsSync(path.join(folder, 'doom.git/HEAD')))
})

t.test('a repository in a folder is made, pushed to with an event that says what, and cloned', async (t) => {
  const { server, url, host } = await serveGit(t, { autoCreate: true })
  const { work, commit } = await makeWork(t)
  const pushes: object[] = []
  server.on('push', (push: PushEvent) => {
    push.accept()
    const { repo, commit, last, branch, ref, exists, service, status, method, url, cwd } = push
    const { host } = push.headers
    pushes.push({
      repo,
      commit,
      last,
      branch,
      ref,
      exists,
      service,
      status,
      method,
      url,
      cwd,
      host,
    })
  })
  server.mkdir('xyz')
  await new Promise<void>((created) => server.create('xyz/doom', () => created()))
  await git(['push', '-q', `${url}/xyz/doom`, 'main'], { cwd: work })
  t.match(pushes, [
    {
      repo: 'xyz/doom',
      commit,
      last: '0'.repeat(40),
      branch: 'main',
      ref: 'refs/heads/main',
      exists: true,
      service: 'receive-pack',
      status: 'accepted',
      method: 'POST',
      url: '/xyz/doom/git-receive-pack',
      host,
      cwd: /xyz\/doom\.git$/,
    },
  ])
  await git(['clone', '-q', `${url}/xyz/doom.git`], { cwd: tempFolder(t) })
})

t.test('a function may say where repositories lie', async (t) => {
  const target = tempFolder(t)
  const asked = new Set<string | undefined>()
  const { url } = await serveGit(t, {}, () => (name?: string): string => {
    asked.add(name)
    return path.join(target, name ?? '')
  })
  const { work } = await makeWork(t)
  await git(['push', '-q', `${url}/doom.git`, 'main'], { cwd: work })
  await git(['clone', '-q', `${url}/doom.git`], { cwd: tempFolder(t) })
  t.ok(existsSync(path.join(target, 'doom.git/HEAD')))
  t.same([...asked], ['doom.git'])
})

t.test('each tag is an event of its own, with its short name', async (t) => {
  const { server, url } = await serveGit(t)
  const { work, commit } = await makeWork(t)
  await git(['tag', '0.0.1'], { cwd: work })
  await git(['tag', '0.0.2'], { cwd: work })
  const tags: string[][] = []
  server.on('tag', (tag: TagEvent) => {
    tags.push([tag.version, tag.commit])
    tag.accept()
  })
  const branches: string[] = []
  server.on('push', (push: PushEvent) => {
    branches.push(push.branch)
    push.accept()
  })
  await git(['push', '-q', '--tags', `${url}/doom`, 'main'], { cwd: work })
  t.same(tags, [
    ['0.0.1', commit],
    ['0.0.2', commit],
  ])
  t.same(branches, ['main'])
})

t.test('list and exists say what is in the folder', async (t) => {
  const { server, folder } = await serveGit(t)
  await new Promise<void>((created) => server.create('test', () => created()))
  t.same(await server.list(), ['test.git'])
  server.list((error, repos) => t.same([error, repos], [undefined, ['test.git']]))
  t.ok(server.exists('test.git'))
  t.notOk(server.exists('other.git'))
  const nowhere = new GitServer(path.join(folder, 'nowhere'))
  await t.rejects(nowhere.list())
  await new Promise<void>((done) =>
    nowhere.list((error, repos) => {
      t.ok(error)
      t.equal(repos, undefined)
      done()
    }),
  )
})

t.test('create says why it cannot, and leaves a repository that is there alone', async (t) => {
  const { server, url, folder } = await serveGit(t)
  const { work, commit } = await makeWork(t)
  await git(['push', '-q', `${url}/doom`, 'main'], { cwd: work })
  const created = (name: string) =>
    new Promise<Error | undefined>((done) => server.create(name, (error) => done(error)))
  t.equal(await created('doom'), undefined)
  t.equal(await git(['rev-parse', 'main'], { cwd: path.join(folder, 'doom.git') }), commit)
  for (const name of ['../out', 'a/../../out', '/out', '.hidden', '-x', 'a.git/b', 'doom.git/objects/x', ''])
    t.ok(await created(name), name)
  t.notOk(existsSync(path.join(folder, '../out.git')))
})

t.test('with listen it is an HTTP server of its own, which close ends', async (t) => {
  const server = new GitServer(tempFolder(t))
  const { work } = await makeWork(t)
  const port = await freePort()
  t.equal(await new Promise((ready) => void server.listen(port, (error?: Error) => ready(error))), undefined)
  t.teardown(() => server.close())
  await git(['push', '-q', `http://127.0.0.1:${port}/doom`, 'main'], { cwd: work })
  const taken = new GitServer(tempFolder(t))
  t.match(await new Promise((told) => void taken.listen(port, { type: 'http' }, told)), {
    code: 'EADDRINUSE',
  })
  t.equal(await server.close(), 'Success')
  t.not((await tryGit(['ls-remote', `http://127.0.0.1:${port}/doom`], { cwd: work })).code, 0)
})

t.test('with a key and a certificate listen is an HTTPS server', async (t) => {
  const { cert, key, certFile } = makeCertificate(t, ['localhost'])
  const server = new GitServer(tempFolder(t), { autoCreate: true })
  const port = await freePort()
  await new Promise<void>((ready) => server.listen(port, { type: 'https', key, cert }, () => ready()))
  t.teardown(() => server.close())
  const { work } = await makeWork(t)
  await git(['push', '-q', `https://localhost:${port}/doom`, 'main'], { cwd: work, ca: certFile })
})

t.test('with checkout the work tree follows its branch', async (t) => {
  const { url, folder } = await serveGit(t, { checkout: true })
  const { work } = await makeWork(t)
  await git(['push', '-q', `${url}/doom`, 'main'], { cwd: work })
  t.equal(readFileSync(path.join(folder, 'doom.git/a.txt'), 'utf8'), 'abcd')
  await git(['clone', '-q', `${url}/doom`], { cwd: tempFolder(t) })
})
