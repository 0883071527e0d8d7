import path from 'node:path'
import t from 'tap'
import type { FetchEvent, GitEvent, PushEvent, TagEvent } from '../../../../server/git/compat/git-event.ts'
import { git, tryGit } from '../../../support/git.ts'
import { makeWork, serveGit } from '../../../support/git-server.ts'

t.test('a rejected push moves nothing, and the pusher reads why', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t)
  server.on('push', (push: PushEvent) => push.reject(500, 'ACCESS DENIED'))
  const push = await tryGit(['push', `${url}/doom`, 'main'], { cwd: work })
  t.not(push.code, 0)
  t.match(push.err, /remote: ACCESS DENIED/)
  t.equal(await git(['ls-remote', `${url}/doom`], { cwd: work }), '')
})

t.test('of several refs none moves unless each is accepted', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t)
  await git(['branch', 'side'], { cwd: work })
  await git(['tag', 'v1'], { cwd: work })
  server.on('push', (push: PushEvent) => push.accept())
  server.on('tag', (tag: TagEvent) => tag.reject(403, 'no tags here'))
  const push = await tryGit(['push', `${url}/doom`, 'main', 'side', 'v1'], { cwd: work })
  t.not(push.code, 0)
  t.match(push.err, /no tags here/)
  t.equal(await git(['ls-remote', `${url}/doom`], { cwd: work }), '')
  await git(['push', '-q', `${url}/doom`, 'main', 'side'], { cwd: work })
})

t.test('refs that are neither branch nor tag are pushes under their full name', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t)
  const branches = new Map<string, string>()
  server.on('push', (push: PushEvent) => {
    branches.set(push.ref, push.branch)
    push.accept()
  })
  const refs = ['refs/notes/commits', 'refs/agents/7/proposal', 'refs/heads/refs/notes/commits']
  await git(['push', '-q', `${url}/doom`, ...refs.map((ref) => `HEAD:${ref}`)], { cwd: work })
  t.same(Object.fromEntries(branches), {
    'refs/notes/commits': 'refs/notes/commits',
    'refs/agents/7/proposal': 'refs/agents/7/proposal',
    'refs/heads/refs/notes/commits': 'refs/notes/commits',
  })
})

t.test('what goes has zeros for its new commit', async (t) => {
  const { server, url } = await serveGit(t)
  const { work, commit } = await makeWork(t)
  await git(['push', '-q', `${url}/doom`, 'main', 'main:side'], { cwd: work })
  server.on('push', (push: PushEvent) => {
    t.match(push, { branch: 'side', last: commit, commit: '0'.repeat(40) })
    push.accept()
  })
  await git(['push', '-q', `${url}/doom`, ':side'], { cwd: work })
})

t.test('the first word counts, also when it comes late', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t)
  server.on('push', (push: PushEvent) => {
    setImmediate(() => {
      push.reject(403, 'not today')
      push.accept()
    })
  })
  t.match((await tryGit(['push', `${url}/doom`, 'main'], { cwd: work })).err, /not today/)
})

t.test('a listener that throws has not accepted', async (t) => {
  const faults: unknown[] = []
  const { server, url } = await serveGit(t, { onFault: (error) => faults.push(error) })
  const { work } = await makeWork(t)
  server.on('push', () => {
    throw new Error('broken listener')
  })
  const push = await tryGit(['push', `${url}/doom`, 'main'], { cwd: work })
  t.not(push.code, 0)
  t.notMatch(push.err, /broken listener/)
  t.match(faults, [{ message: 'broken listener' }])
  t.equal(await git(['ls-remote', `${url}/doom`], { cwd: work }), '')
})

t.test('lines of a listener reach the pusher, and it is told of the end', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t)
  const { promise: ended, resolve: exit } = Promise.withResolvers<void>()
  server.on('push', (push: PushEvent) => {
    push.on('exit', exit)
    push.on('response', (stream: PushEvent) => stream.log('from the response'))
    push.log()
    push.log('Have a %s day!', 'great')
    server.list((_error, repos = []) => {
      for (const repo of repos) push.log(`- ${repo}`)
      push.accept()
      push.log('ok\nno')
    })
  })
  const push = await tryGit(['push', `${url}/doom`, 'main'], { cwd: work })
  t.equal(push.code, 0, push.err)
  for (const line of ['Have a great day!', '- doom.git', 'from the response', 'ok', 'no'])
    t.match(push.err, new RegExp(`remote: ${line} *\n`))
  await ended
})

t.test('a fetch names its commit, and a rejection is its status and text', async (t) => {
  const { server, url } = await serveGit(t)
  const { work, commit } = await makeWork(t)
  await git(['push', '-q', `${url}/doom`, 'main'], { cwd: work })
  const wanted: string[] = []
  let open = true
  server.on('fetch', (fetch: FetchEvent) => {
    wanted.push(fetch.commit)
    if (open) fetch.accept()
    else fetch.reject(403, 'closed for today')
  })
  for (const version of ['0', '1', '2']) {
    const args = ['-c', `protocol.version=${version}`, 'clone', '-q', '--bare', `${url}/doom`, `v${version}`]
    await git(args, { cwd: work })
    t.same(wanted.splice(0), [commit], `protocol ${version}`)
  }
  open = false
  const refused = await tryGit(['clone', '-q', `${url}/doom`, 'refused'], { cwd: work })
  t.match(refused.err, /403/)
  const body = `0032want ${commit}\n00000009done\n`
  const raw = await fetch(`${url}/doom/git-upload-pack`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-git-upload-pack-request' },
    body,
  })
  t.equal(raw.status, 403)
  t.equal(await raw.text(), 'closed for today\n')
})

t.test('info is asked before anything is said about the repository', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t)
  const seen: unknown[] = []
  server.on('info', (info: GitEvent) => {
    seen.push([info.repo, info.exists, path.basename(info.cwd)])
    if (info.repo === 'secret') info.reject(404, 'nothing here')
    else info.accept()
  })
  await git(['push', '-q', `${url}/doom`, 'main'], { cwd: work })
  await git(['ls-remote', `${url}/doom.git`], { cwd: work })
  t.same(seen, [
    ['doom', false, 'doom.git'],
    ['doom.git', true, 'doom.git'],
  ])
  const secret = await fetch(`${url}/secret/info/refs?service=git-upload-pack`)
  t.equal(secret.status, 404)
  t.equal(await secret.text(), 'nothing here\n')
})

t.test('HEAD is for those who listen for it', async (t) => {
  const { server, url } = await serveGit(t)
  const { work } = await makeWork(t, 'trunk')
  await git(['push', '-q', `${url}/doom`, 'trunk'], { cwd: work })
  t.equal((await fetch(`${url}/doom/HEAD`)).status, 404)
  server.on('head', (head: GitEvent) => {
    if (head.repo === 'doom') head.accept()
    else head.reject(403, 'no')
  })
  t.equal(await (await fetch(`${url}/doom/HEAD`)).text(), 'ref: refs/heads/trunk\n')
  t.equal((await fetch(`${url}/doom.git/HEAD`)).status, 403)
  t.equal((await fetch(`${url}/other/HEAD`)).status, 404)
  t.equal((await fetch(`${url}/doom/config`)).status, 404)
})
