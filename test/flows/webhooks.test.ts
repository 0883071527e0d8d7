import { once } from 'node:events'
import { createServer } from 'node:http'
import { createNodeMiddleware, type EmitterWebhookEvent, Webhooks } from '@octokit/webhooks'
import type { PullRequestEvent, PushEvent } from '@octokit/webhooks-types'
import t, { type Test } from 'tap'
import { createdAgentJob, listOf } from '../../server/protocol/api.ts'
import { createdWebhook, delivery, deliveryDetails, webhook } from '../../server/protocol/webhooks.ts'
import { type Delivered, startConsumer } from '../support/consumer.ts'
import { commitFile, jobToken, makeRepo, type RunningForge, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

const allowed = { WEBHOOK_HOSTS: '127.0.0.1' }

const addWebhook = async (forge: RunningForge, body: Readonly<Record<string, unknown>>) =>
  (await forge.ask('/api/v1/webhooks', { body })).read(createdWebhook)

const push = (forge: RunningForge, work: string, args: readonly string[], token = forge.token) =>
  git(['push', '-q', forge.remote('hello', token), ...args], { cwd: work, ca: forge.caFile })

const isPush =
  (ref: string) =>
  ({ headers, body }: Delivered): boolean =>
    headers['x-github-event'] === 'push' && (JSON.parse(body) as PushEvent).ref === ref

const isEvent =
  (event: string) =>
  ({ headers }: Delivered): boolean =>
    headers['x-github-event'] === event

const shown = async (forge: RunningForge, id: number) =>
  (await forge.ask(`/api/v1/webhooks/${id}/deliveries?limit=200`)).read(listOf(delivery)).items

/** The consumer that a program built on GitHub's own library is. */
const startOctokit = async (t: Test, secret: string) => {
  const events: EmitterWebhookEvent[] = []
  const faults: unknown[] = []
  let arrived = Promise.withResolvers<void>()
  const webhooks = new Webhooks({
    secret,
    log: { debug() {}, info() {}, warn() {}, error: (e: unknown) => faults.push(e) },
  })
  webhooks.onAny((event) => {
    events.push(event)
    arrived.resolve()
    arrived = Promise.withResolvers()
  })
  const handle = createNodeMiddleware(webhooks, { path: '/hook' })
  const server = createServer((request, response) => void handle(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  const until = async (fits: (event: EmitterWebhookEvent) => boolean): Promise<EmitterWebhookEvent> => {
    for (;;) {
      const found = events.find(fits)
      if (found) return found
      await arrived.promise
    }
  }
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/hook`,
    events,
    faults,
    until,
  }
}

t.test('a consumer written with @octokit/webhooks verifies and handles every event', async (t) => {
  const forge = await startForge(t, allowed)
  const secret = 'the secret of a consumer'
  const consumer = await startOctokit(t, secret)
  const { work, base } = await makeRepo(t, forge)
  await addWebhook(forge, { url: consumer.url, repo: 'hello', secret })
  await consumer.until(({ name }) => name === 'ping')

  const commit = await commitFile(work, 'one', 'one\n')
  await push(forge, work, ['HEAD:refs/heads/x'])
  const created = await consumer.until(({ name }) => name === 'create')
  t.match(created.payload, { ref: 'x', full_ref: 'refs/heads/x', ref_type: 'branch', master_branch: 'main' })
  const pushed = await consumer.until(({ name }) => name === 'push')
  t.match(pushed.payload, {
    ref: 'refs/heads/x',
    before: '0'.repeat(40),
    after: commit,
    created: true,
    deleted: false,
    forced: false,
    commits: [
      { id: commit, distinct: true, message: 'Change one', added: ['one'], removed: [], modified: [] },
    ],
    head_commit: { id: commit, author: { name: 'Tess', email: 'tess@example.org' } },
    pusher: { name: 'owner' },
    repository: { name: 'hello', default_branch: 'main', clone_url: `${forge.url}/hello.git` },
    sender: { login: 'owner', type: 'User' },
  })

  await push(forge, work, ['--delete', 'x'])
  t.match((await consumer.until(({ name }) => name === 'delete')).payload, {
    ref: 'x',
    full_ref: 'refs/heads/x',
    ref_type: 'branch',
  })

  const job = await startJob(forge, 'hello', 'the words of a private task')
  const token = await jobToken(forge, 'hello', job.id)
  await push(forge, work, [`HEAD:refs/agents/${job.id}/proposal`], token)
  const opened = await consumer.until(({ name }) => name === 'pull_request')
  t.match(opened.payload, {
    action: 'opened',
    number: job.id,
    pull_request: {
      state: 'open',
      merged: false,
      user: { login: `job-${job.id}`, type: 'Bot' },
      head: { ref: `refs/agents/${job.id}/proposal`, sha: commit },
      base: { ref: 'main', full_ref: 'refs/heads/main', sha: base },
      html_url: job.url,
    },
    sender: { type: 'Bot' },
  })
  t.notMatch(JSON.stringify(consumer.events), /private task/, 'a task is for people with a right to it')
  t.same(consumer.faults, [])
  t.notOk(
    consumer.events.some(({ payload }) => 'ref' in payload && payload.ref?.startsWith('refs/agents/')),
    'a proposal is no push to a branch',
  )
})

t.test('a push is told as it was: a move, a rewrite, a tag, odd names, many refs at once', async (t) => {
  const forge = await startForge(t, allowed)
  const consumer = await startConsumer(t)
  const { work, base } = await makeRepo(t, forge)
  await addWebhook(forge, { url: consumer.url })
  const bodyOf = async (ref: string): Promise<PushEvent> =>
    JSON.parse((await consumer.until(isPush(ref))).body) as PushEvent

  await git(['mv', 'README.md', 'READ ME.md'], { cwd: work })
  const second = await commitFile(work, 'ünï', 'x\n')
  const third = await commitFile(work, 'ünï', 'y\n')
  await push(forge, work, ['main'])
  const moved = await bodyOf('refs/heads/main')
  t.match(moved, { before: base, after: third, created: false, forced: false })
  t.match(moved.commits, [
    { id: second, added: ['READ ME.md', 'ünï'], removed: ['README.md'], modified: [] },
    { id: third, added: [], removed: [], modified: ['ünï'] },
  ])
  t.same(
    moved.commits.map(({ distinct }) => distinct),
    [true, true],
  )

  await push(forge, work, ['main:refs/heads/copy'])
  t.match(await bodyOf('refs/heads/copy'), {
    created: true,
    commits: [],
    head_commit: { id: third, distinct: false },
  })

  await git(['checkout', '-q', '-B', 'again', base], { cwd: work })
  const other = await commitFile(work, 'other', 'z\n')
  await push(forge, work, ['--force', 'again:copy', 'again:refs/heads/fresh'])
  await bodyOf('refs/heads/fresh')
  const rewritten = consumer.taken
    .filter(isPush('refs/heads/copy'))
    .map(({ body }) => JSON.parse(body) as PushEvent)
  t.match(rewritten[1], { before: third, after: other, forced: true, commits: [{ id: other }] })

  await git(['tag', '-a', '-m', 'words', 'refs/heads/main', base], { cwd: work })
  const tag = await git(['rev-parse', 'refs/tags/refs/heads/main'], { cwd: work })
  await push(forge, work, ['refs/tags/refs/heads/main'])
  t.match(await bodyOf('refs/tags/refs/heads/main'), { after: tag, commits: [], head_commit: { id: base } })
  const tagged = consumer.taken
    .filter(isEvent('create'))
    .map(({ body }) => JSON.parse(body) as { full_ref: string })
  t.match(
    tagged.find(({ full_ref }) => full_ref === 'refs/tags/refs/heads/main'),
    { ref: 'refs/heads/main', ref_type: 'tag' },
    'a tag with a branch’s name misleads nobody',
  )

  const odd = ['a\u2028b', 'a\u0085b', '"quoted"', '$(id)', 'é\u202e', 'x'.repeat(200)]
  await push(
    forge,
    work,
    odd.map((name) => `HEAD:refs/heads/odd/${name}`),
  )
  for (const name of odd) t.match(await bodyOf(`refs/heads/odd/${name}`), { created: true })
})

t.test('what is decided is told: the branch that moved, and how the proposal ended', async (t) => {
  const forge = await startForge(t, allowed)
  const consumer = await startConsumer(t)
  const { work, base } = await makeRepo(t, forge)
  await addWebhook(forge, { url: consumer.url, repo: 'hello' })
  const jobs = '/api/v1/repos/hello/agent-jobs'
  const propose = async (file: string) => {
    const answer = await forge.ask(jobs, { body: { task: 'A private task', agent: 'external' } })
    const { id, access } = answer.read(createdAgentJob)
    const commit = await commitFile(work, file, `${file}\n`)
    await push(forge, work, [`HEAD:refs/agents/${id}/proposal`], access?.token)
    return { id, commit, token: access?.token }
  }
  const closed = async (job: number): Promise<PullRequestEvent> => {
    const found = await consumer.until(({ headers, body }) => {
      const event = JSON.parse(body) as PullRequestEvent
      return headers['x-github-event'] === 'pull_request' && event.action === 'closed' && event.number === job
    })
    return JSON.parse(found.body) as PullRequestEvent
  }

  const one = await propose('one')
  const approval = { commit: one.commit, branch: 'taken', old: null }
  t.equal((await forge.ask(`${jobs}/${one.id}/approve`, { body: approval })).status, 200)
  t.match(await closed(one.id), {
    pull_request: {
      state: 'closed',
      merged: true,
      merge_commit_sha: one.commit,
      merged_by: { login: 'owner' },
      head: { sha: one.commit },
      base: { ref: 'taken', full_ref: 'refs/heads/taken', sha: base },
    },
    sender: { login: 'owner', type: 'User' },
  })
  const moved = JSON.parse((await consumer.until(isPush('refs/heads/taken'))).body) as PushEvent
  t.match(moved, {
    created: true,
    after: one.commit,
    commits: [{ id: one.commit }],
    pusher: { name: 'owner' },
  })

  const two = await propose('two')
  const further = await commitFile(work, 'two', 'more\n')
  await push(forge, work, [`HEAD:refs/agents/${two.id}/proposal`], two.token)
  const synchronized = await consumer.until(({ body }) => body.includes('"action":"synchronize"'))
  t.match(JSON.parse(synchronized.body), {
    number: two.id,
    before: two.commit,
    after: further,
    pull_request: { state: 'open', head: { sha: further } },
  })
  const rejection = { reason: 'Words for the author alone' }
  t.equal((await forge.ask(`${jobs}/${two.id}/reject`, { body: rejection })).status, 200)
  t.match(await closed(two.id), {
    pull_request: {
      state: 'closed',
      merged: false,
      merge_commit_sha: null,
      merged_by: null,
      base: { ref: 'main' },
    },
  })
  t.notMatch(consumer.taken.map(({ body }) => body).join(), /private task|Words for/)
})

t.test('a consumer that fails is tried again, with the same delivery', async (t) => {
  const forge = await startForge(t, allowed)
  const consumer = await startConsumer(t, (response, { headers }, count) => {
    const fails = headers['x-github-event'] === 'push' && count < 4
    response.statusCode = fails ? 500 : 200
    response.setHeader('x-asked', String(count))
    response.end(fails ? 'Not now.' : 'Thanks.')
  })
  const { work } = await makeRepo(t, forge)
  const { id } = await addWebhook(forge, { url: consumer.url, events: ['push'] })
  await consumer.until(isEvent('ping'))
  await commitFile(work, 'one', 'one\n')
  await push(forge, work, ['main'])
  await consumer.count(3)
  const [first, second] = consumer.taken.filter(isEvent('push'))
  t.equal(first?.headers['x-github-delivery'], second?.headers['x-github-delivery'])
  t.equal(first?.body, second?.body)
  const [failed] = await shown(forge, id)
  t.match(failed, { state: 'waiting', event: 'push' })

  // Not waited for: the owner asks for it.
  const where = `/api/v1/webhooks/${id}/deliveries/${failed?.id}`
  t.equal((await forge.ask(`${where}/redeliver`, { method: 'POST', body: {} })).status, 202)
  await consumer.count(4)
  const settled = async () => (await forge.ask(where)).read(deliveryDetails)
  while ((await settled()).state === 'waiting') await new Promise(setImmediate)
  const details = await settled()
  t.match(details, { state: 'delivered', status: 200, nextAt: null })
  t.match(details.attempts.slice(0, 2), [
    {
      number: 1,
      failure: 'It answered 500.',
      response: { status: 500, body: 'Not now.', headers: { 'x-asked': '2' } },
    },
    { number: 2, failure: 'It answered 500.' },
  ])
  t.match(details.attempts.at(-1), { failure: null, response: { status: 200, body: 'Thanks.' } })
  t.equal(details.attempts[0]?.requestHeaders['x-hub-signature-256'], first?.headers['x-hub-signature-256'])
  t.equal(details.payload, first?.body)
})

t.test('a forge that is killed between a push and its delivery delivers after its start', async (t) => {
  const forge = await startForge(t, allowed)
  let back = false
  const consumer = await startConsumer(t, (response) => {
    if (back) response.end()
  })
  const { work } = await makeRepo(t, forge)
  await addWebhook(forge, { url: consumer.url, repo: 'hello', events: ['push'] })
  await consumer.count(1)
  const commit = await commitFile(work, 'one', 'one\n')
  // The ping hangs at the consumer, so this waits behind it; the push does not.
  await push(forge, work, ['main'])
  t.equal(consumer.taken.length, 1)
  await forge.kill('SIGKILL')
  back = true
  await forge.start()
  const told = await consumer.until(isPush('refs/heads/main'))
  t.equal((JSON.parse(told.body) as PushEvent).after, commit)
  const pings = consumer.taken.filter(isEvent('ping')).map(({ headers }) => headers['x-github-delivery'])
  t.equal(new Set(pings).size, 1, 'what was under way is sent again as the same delivery')
})

t.test('a slow consumer delays neither pushes nor other consumers', async (t) => {
  const forge = await startForge(t, allowed)
  const silent = await startConsumer(t, () => undefined)
  const quick = await startConsumer(t)
  const { work } = await makeRepo(t, forge)
  await addWebhook(forge, { url: silent.url })
  await addWebhook(forge, { url: quick.url })
  for (const n of [1, 2, 3]) {
    await commitFile(work, 'one', `${n}\n`)
    await push(forge, work, [`HEAD:refs/heads/b${n}`])
    await quick.until(isPush(`refs/heads/b${n}`))
  }
  t.equal(silent.taken.length, 1, 'one request at a time')
})

t.test('each webhook hears what it asked for, of its repository alone', async (t) => {
  const forge = await startForge(t, allowed)
  const pushes = await startConsumer(t)
  const own = await startConsumer(t)
  const all = await startConsumer(t)
  const { work } = await makeRepo(t, forge)
  await forge.ask('/api/v1/repos', { body: { name: 'other' } })
  await addWebhook(forge, { url: pushes.url, repo: 'hello', events: ['push'] })
  const { id, secret } = await addWebhook(forge, { url: own.url, repo: 'other' })
  await addWebhook(forge, { url: all.url })
  await push(forge, work, ['main:refs/heads/x'])
  await git(['push', '-q', forge.remote('other', forge.token), 'main'], { cwd: work, ca: forge.caFile })
  await own.until(isPush('refs/heads/main'))
  await all.until(isPush('refs/heads/main'))
  await all.until(isPush('refs/heads/x'))
  await pushes.until(isPush('refs/heads/x'))
  const heard = (taken: readonly Delivered[]) => taken.map(({ headers }) => headers['x-github-event'])
  t.same(heard(pushes.taken), ['ping', 'push'])
  t.same(heard(own.taken), ['ping', 'create', 'push'])
  t.same(heard(all.taken), ['ping', 'create', 'push', 'create', 'push'], 'in the order of events')

  const one = await forge.ask(`/api/v1/webhooks/${id}`)
  t.match(one.read(webhook), { id, repo: 'other' })
  const everything = await Promise.all([
    forge.ask('/api/v1/webhooks'),
    forge.ask('/api/v1/repos/other/webhooks'),
    forge.ask(`/api/v1/webhooks/${id}/deliveries`),
    forge.ask(`/api/v1/webhooks/${id}/deliveries/2`),
  ])
  for (const { text } of [one, ...everything]) t.notMatch(text, secret)
  t.notMatch(own.taken.map(({ body }) => body).join(), secret)
  t.notMatch(forge.log(), secret)

  await forge.ask('/api/v1/repos/other', { method: 'DELETE' })
  t.equal((await forge.ask(`/api/v1/webhooks/${id}`)).status, 404, 'it goes with its repository')
})

t.test('webhooks are for people who are signed in', async (t) => {
  const forge = await startForge(t, allowed)
  const consumer = await startConsumer(t)
  const { work } = await makeRepo(t, forge)
  const { id } = await addWebhook(forge, { url: consumer.url })
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  await consumer.count(1)
  for (const [method, where] of [
    ['GET', '/api/v1/webhooks'],
    ['POST', '/api/v1/webhooks'],
    ['GET', `/api/v1/webhooks/${id}`],
    ['DELETE', `/api/v1/webhooks/${id}`],
    ['POST', `/api/v1/webhooks/${id}/pings`],
    ['GET', `/api/v1/webhooks/${id}/deliveries`],
    ['GET', `/api/v1/webhooks/${id}/deliveries/1`],
    ['POST', `/api/v1/webhooks/${id}/deliveries/1/redeliver`],
  ] as const) {
    const body = method === 'POST' ? { body: { url: consumer.url } } : {}
    t.equal((await forge.ask(where, { method, token: null, ...body })).status, 401, `${method} ${where}`)
    t.equal((await forge.ask(where, { method, token, ...body })).status, 403, `${method} ${where}`)
  }
  const pages = await forge.ask(`/webhooks/${id}`, { token: null })
  t.equal(pages.status, 302)
  const ran = await tryGit(['ls-remote', forge.remote('hello')], { cwd: work, ca: forge.caFile })
  t.notMatch(ran.out, consumer.url)
})
