import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { Kysely, sql } from 'kysely'
import { Migrator } from 'kysely/migration'
import t, { type Test } from 'tap'
import { openDatabase } from '../../../server/store/database.ts'
import { openSqlite } from '../../../server/store/sqlite.ts'
import { tempFolder } from '../../support/temp.ts'

type Tables = { things: { id: number; name: string | null; bytes: Uint8Array | null } }

const open = async (t: Test): Promise<{ db: Kysely<Tables>; file: string }> => {
  const file = path.join(tempFolder(t), 'db.sqlite')
  const db = new Kysely<Tables>({ dialect: openSqlite(file) })
  t.teardown(() => db.destroy())
  await sql`create table things (id integer primary key, name text, bytes blob) strict`.execute(db)
  return { db, file }
}

t.test('rows come back as plain objects with what was stored', async (t) => {
  const { db } = await open(t)
  const row = { id: 1, name: 'a\0ü', bytes: new Uint8Array([0, 255]) }
  await db.insertInto('things').values(row).execute()
  const [read] = await db.selectFrom('things').selectAll().execute()
  t.same(read, row)
  t.equal(Object.getPrototypeOf(read), Object.prototype)
})

t.test('inserted ids and numbers of changed rows are told', async (t) => {
  const { db } = await open(t)
  const { insertId } = await db
    .insertInto('things')
    .values({ id: 7, name: null, bytes: null })
    .executeTakeFirstOrThrow()
  t.equal(insertId, 7n)
  const { id } = await db
    .insertInto('things')
    .values({ id: 8, name: null, bytes: null })
    .returning('id')
    .executeTakeFirstOrThrow()
  t.equal(id, 8)
  const { numUpdatedRows } = await db.updateTable('things').set({ name: 'x' }).executeTakeFirst()
  t.equal(numUpdatedRows, 2n)
})

t.test('a value that SQLite would store as something else is refused', async (t) => {
  const { db } = await open(t)
  for (const value of [true, undefined, new Date(0), {}])
    await t.rejects(sql`insert into things (id, name) values (1, ${value})`.execute(db), TypeError)
})

t.test('a transaction that throws leaves nothing behind', async (t) => {
  const { db } = await open(t)
  await t.rejects(
    db.transaction().execute(async (transaction) => {
      await transaction.insertInto('things').values({ id: 1, name: null, bytes: null }).execute()
      throw new Error('no')
    }),
    { message: 'no' },
  )
  t.same(await db.selectFrom('things').select('id').execute(), [])
})

t.test('what others ask for meanwhile is not part of the transaction', async (t) => {
  const { db } = await open(t)
  const { promise: opened, resolve: begin } = Promise.withResolvers<void>()
  const { promise: go, resolve } = Promise.withResolvers<void>()
  const failed = db.transaction().execute(async (transaction) => {
    await transaction.insertInto('things').values({ id: 1, name: null, bytes: null }).execute()
    begin()
    await go
    throw new Error('no')
  })
  await opened
  const other = db.insertInto('things').values({ id: 2, name: null, bytes: null }).execute()
  resolve()
  await t.rejects(failed, { message: 'no' })
  await other
  t.same(await db.selectFrom('things').select('id').execute(), [{ id: 2 }])
})

t.test('a migration that fails is rolled back as a whole', async (t) => {
  const { db, file } = await open(t)
  const migrations = {
    a: {
      up: async (db: Kysely<unknown>) => {
        await sql`create table half (id integer)`.execute(db)
        await sql`insert into nowhere values (1)`.execute(db)
      },
    },
  }
  const { error } = await new Migrator({
    db,
    provider: { getMigrations: async () => migrations },
  }).migrateToLatest()
  t.match(error, { message: /nowhere/ })
  const seen = new DatabaseSync(file, { readOnly: true })
  t.teardown(() => seen.close())
  t.same(seen.prepare("select name from sqlite_master where name = 'half'").all(), [])
})

t.test('the forge’s database opens twice to the same, keeps references, and gives no id twice', async (t) => {
  const file = path.join(tempFolder(t), 'forge.sqlite')
  const first = await openDatabase(file)
  t.match(await first.selectFrom('people').selectAll().execute(), [{ name: 'owner', role: 'owner' }])
  await first.destroy()
  const db = await openDatabase(file)
  t.teardown(() => db.destroy())
  t.equal((await db.selectFrom('people').selectAll().execute()).length, 1)
  const token = {
    id: 't',
    kind: 'personal' as const,
    label: '',
    hash: new Uint8Array(),
    scope_repo: null,
    scope_refs: null,
    scope_job: null,
    created_at: 0,
    expires_at: null,
    revoked_at: null,
  }
  await t.rejects(
    db
      .insertInto('tokens')
      .values({ ...token, person: 99 })
      .execute(),
    /FOREIGN KEY/,
  )
  await db
    .insertInto('tokens')
    .values({ ...token, person: 1 })
    .execute()
  const job = {
    repo: 'a',
    requester: 't',
    task: '',
    agent: '',
    base_ref: '',
    base_commit: '',
    workspace_file: '',
    created_at: 0,
  }
  const add = () => db.insertInto('jobs').values(job).returning('id').executeTakeFirstOrThrow()
  const { id } = await add()
  await db.deleteFrom('jobs').where('id', '=', id).execute()
  t.equal((await add()).id, id + 1)
})

t.test('a file that is no database is an error', async (t) => {
  const file = path.join(tempFolder(t), 'forge.sqlite')
  writeFileSync(file, 'hello '.repeat(1000))
  await t.rejects(openDatabase(file))
})
