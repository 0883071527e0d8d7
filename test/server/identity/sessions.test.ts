import t from 'tap'
import { csrfMatches, openSessions } from '../../../server/identity/sessions.ts'
import { openStore } from '../store/open.ts'

const open = async (t: Parameters<typeof openStore>[0]) => {
  const store = await openStore(t)
  const { text } = await store.tokens.create('laptop', { by: null })
  const person = await store.tokens.verify(text)
  if (person?.kind !== 'person') throw new Error('not a person')
  return { ...store, person, sessions: openSessions(store.db, store.now) }
}

t.test('a cookie leads to its person until the week is over', async (t) => {
  const { sessions, person, clock } = await open(t)
  const { cookie, expires } = await sessions.open(person)
  t.match(await sessions.find(cookie), { person })
  clock.now = expires - 1
  t.ok(await sessions.find(cookie))
  clock.now = expires
  t.equal(await sessions.find(cookie), null)
})

t.test('a session that was closed, or never opened, is none', async (t) => {
  const { sessions, person } = await open(t)
  const { cookie } = await sessions.open(person)
  const { cookie: other } = await sessions.open(person)
  await sessions.close(cookie)
  t.equal(await sessions.find(cookie), null)
  t.ok(await sessions.find(other), 'another browser stays signed in')
  for (const text of ['', 'x', cookie.slice(1), `${other} `]) t.equal(await sessions.find(text), null)
  await sessions.close('never opened')
})

t.test('the cookie itself is not stored, and what is over is swept out', async (t) => {
  const { sessions, person, db, clock } = await open(t)
  const { cookie, expires } = await sessions.open(person)
  const rows = await db.selectFrom('sessions').selectAll().execute()
  t.notOk(rows.some(({ hash, csrf }) => Buffer.from(hash).toString() === cookie || csrf === cookie))
  clock.now = expires
  await sessions.open(person)
  t.equal((await db.selectFrom('sessions').select('token').execute()).length, 1)
})

t.test('a form is of the session whose value it carries, and of no other', async (t) => {
  const { sessions, person } = await open(t)
  const mine = await sessions.find((await sessions.open(person)).cookie)
  const other = await sessions.find((await sessions.open(person)).cookie)
  if (!mine || !other) throw new Error('no session')
  t.equal(csrfMatches(mine, mine.csrf), true)
  for (const text of [other.csrf, '', 'x', `${mine.csrf} `]) t.equal(csrfMatches(mine, text), false)
})
