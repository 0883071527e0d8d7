import t from 'tap'
import { openSessions } from '../../../server/identity/sessions.ts'
import { longestJobToken } from '../../../server/identity/token-store.ts'
import { mintToken } from '../../../server/identity/token-text.ts'
import { jobId, repoName, tokenId } from '../../../server/protocol/ids.ts'
import { openStore, type Store } from '../store/open.ts'

const repo = repoName.parse('hello')
const job = jobId.parse(42)
const unknown = tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6w8')

const jobToken = ({ tokens, clock }: Store, ms = 60_000) =>
  tokens.create('job 42', { scope: { repo, job, expires: clock.now + ms }, by: null })

t.test('a personal token stands for its person until it is revoked', async (t) => {
  const { tokens } = await openStore(t)
  t.equal(await tokens.hasPersonal(), false)
  const { token, text } = await tokens.create('laptop', { by: null })
  t.equal(await tokens.hasPersonal(), true)
  t.match(token, { kind: 'personal', label: 'laptop', scope: null, revokedAt: null })
  t.same(await tokens.verify(text), { kind: 'person', token: token.id, person: 'owner', label: 'laptop' })
  t.equal(await tokens.isLive(token.id), true)
  await tokens.revoke(token.id, token.id)
  t.equal(await tokens.verify(text), null)
  t.equal(await tokens.isLive(token.id), false)
})

t.test('a job’s token carries its scope and ends by itself', async (t) => {
  const store = await openStore(t)
  const { tokens, clock } = store
  const { token, text } = await jobToken(store)
  const expires = clock.now + 60_000
  t.same(await tokens.verify(text), {
    kind: 'job',
    token: token.id,
    scope: { repo, refs: 'refs/agents/42/*', job, expires, capabilities: ['push:agent-ref'] },
  })
  clock.now = expires - 1
  t.ok(await tokens.verify(text))
  clock.now = expires
  t.equal(await tokens.verify(text), null)
  t.equal(await tokens.isLive(token.id), false)
})

t.test('a job’s token for the past, for too long, or for no time at all is not made', async (t) => {
  const store = await openStore(t)
  for (const ms of [0, -1, longestJobToken + 1, Number.NaN, Number.POSITIVE_INFINITY])
    await t.rejects(jobToken(store, ms), { code: 'bad-request' }, String(ms))
  t.same(await store.tokens.list(null, 10), [])
  t.equal(store.audit.head().seq, 0, 'and nothing was written down')
  t.ok(await jobToken(store, longestJobToken))
})

t.test('the secret is nowhere in what is stored', async (t) => {
  const { tokens, db, audit } = await openStore(t)
  const { text } = await tokens.create('laptop', { by: null })
  const secret = text.slice(text.lastIndexOf('_') + 1)
  const rows = await db.selectFrom('tokens').selectAll().execute()
  t.equal(rows.length, 1)
  t.notOk(
    JSON.stringify([
      rows.map((row) => ({ ...row, hash: Buffer.from(row.hash).toString('latin1') })),
      audit.openIntents(),
    ]).includes(secret),
  )
})

t.test('well-formed tokens that were never made, or whose secret is another, stand for nobody', async (t) => {
  const { tokens } = await openStore(t)
  const { token } = await tokens.create('laptop', { by: null })
  t.equal(await tokens.verify(mintToken('personal', unknown).text), null)
  t.equal(await tokens.verify(mintToken('personal', token.id).text), null)
  t.equal(await tokens.verify(mintToken('job', token.id).text), null)
  for (const text of ['', 'x', '\0', `${'x'.repeat(100_000)}`]) t.equal(await tokens.verify(text), null)
})

t.test('revoking twice changes nothing, revoking what is not there is said', async (t) => {
  const { tokens, audit, clock } = await openStore(t)
  const { token } = await tokens.create('laptop', { by: null })
  await tokens.revoke(token.id, null)
  const { seq } = audit.head()
  clock.now += 1000
  await tokens.revoke(token.id, null)
  t.equal(audit.head().seq, seq)
  t.not((await tokens.list(null, 1))[0]?.revokedAt, null)
  await t.rejects(tokens.revoke(unknown, null), { code: 'not-found' })
})

t.test('with a token end the sessions that it opened', async (t) => {
  const { tokens, db, now } = await openStore(t)
  const sessions = openSessions(db, now)
  const { text, token } = await tokens.create('laptop', { by: null })
  const person = await tokens.verify(text)
  if (person?.kind !== 'person') throw new Error('not a person')
  const { cookie } = await sessions.open(person)
  t.ok(await sessions.find(cookie))
  await tokens.revoke(token.id, null)
  t.equal(await sessions.find(cookie), null)
  t.same(await db.selectFrom('sessions').select('token').execute(), [])
})

t.test('every live token of a job ends with it, and no other', async (t) => {
  const store = await openStore(t)
  const { tokens, clock } = store
  const mine = [await jobToken(store), await jobToken(store)]
  const other = await tokens.create('job 4', {
    scope: { repo, job: jobId.parse(4), expires: clock.now + 1000 },
    by: null,
  })
  const person = await tokens.create('laptop', { by: null })
  await tokens.revokeOfJob(job)
  for (const { text } of mine) t.equal(await tokens.verify(text), null)
  t.ok(await tokens.verify(other.text))
  t.ok(await tokens.verify(person.text))
})

t.test('what happens to tokens is in the audit, with the job that they are for', async (t) => {
  const store = await openStore(t)
  const { token } = await jobToken(store)
  await store.tokens.revokeOfJob(job)
  t.match(await store.audit.ofJob(job), [
    { type: 'token-created', token: token.id, scope: { repo, refs: 'refs/agents/42/*' }, job },
    { type: 'token-revoked', token: token.id, job },
  ])
})

t.test('tokens are listed newest first, by pages, each once', async (t) => {
  const { tokens, clock } = await openStore(t)
  const made = []
  for (let n = 0; n < 5; n += 1) {
    made.unshift((await tokens.create(String(n), { by: null })).token.id)
    clock.now += 1
  }
  const first = await tokens.list(null, 3)
  const rest = await tokens.list(first.at(-1)?.id ?? null, 3)
  t.same(
    [...first, ...rest].map(({ id }) => id),
    made,
  )
  t.same(await tokens.labels([made[0] ?? unknown, made[0] ?? unknown, unknown]), new Map([[made[0], '4']]))
  t.same(await tokens.labels([]), new Map())
})
