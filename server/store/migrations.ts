/** The database's history. A migration that has been released is never edited. */
import { type Kysely, sql } from 'kysely'
import type { Migration } from 'kysely/migration'
import { webhooks } from './webhooks-migration.ts'

const first: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('people')
      .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('name', 'text', (c) => c.notNull().unique())
      .addColumn('role', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('tokens')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('kind', 'text', (c) => c.notNull())
      .addColumn('person', 'integer', (c) => c.notNull().references('people.id'))
      .addColumn('label', 'text', (c) => c.notNull())
      .addColumn('hash', 'blob', (c) => c.notNull())
      .addColumn('scope_repo', 'text')
      .addColumn('scope_refs', 'text')
      .addColumn('scope_job', 'integer')
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('expires_at', 'integer')
      .addColumn('revoked_at', 'integer')
      .execute()
    await db.schema
      .createTable('sessions')
      .addColumn('hash', 'blob', (c) => c.primaryKey())
      .addColumn('token', 'text', (c) => c.notNull().references('tokens.id'))
      .addColumn('csrf', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('expires_at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('jobs')
      .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('repo', 'text', (c) => c.notNull())
      .addColumn('requester', 'text', (c) => c.notNull().references('tokens.id'))
      .addColumn('task', 'text', (c) => c.notNull())
      .addColumn('agent', 'text', (c) => c.notNull())
      .addColumn('base_ref', 'text', (c) => c.notNull())
      .addColumn('base_commit', 'text', (c) => c.notNull())
      .addColumn('workspace_file', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema.createIndex('jobs_by_repo').on('jobs').columns(['repo', 'id']).execute()
    await db.schema
      .createTable('attempts')
      .addColumn('job', 'integer', (c) => c.notNull().references('jobs.id'))
      .addColumn('number', 'integer', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('reason', 'text')
      .addColumn('last_seq', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('dispatched_at', 'integer')
      .addColumn('started_at', 'integer')
      .addColumn('ended_at', 'integer')
      .addColumn('cancel_at', 'integer')
      .addColumn('collected', 'text')
      .addColumn('used', 'text')
      .addColumn('salvaged_bytes', 'integer')
      .addColumn('acknowledged', 'integer', (c) => c.notNull().defaultTo(0))
      .addPrimaryKeyConstraint('attempts_key', ['job', 'number'])
      .execute()
    await db.schema.createIndex('attempts_by_state').on('attempts').column('state').execute()
    await db.schema
      .createTable('events')
      .addColumn('job', 'integer', (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('seq', 'integer', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('type', 'text', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .addPrimaryKeyConstraint('events_key', ['job', 'attempt', 'seq'])
      .execute()
    await db.schema
      .createTable('revisions')
      .addColumn('job', 'integer', (c) => c.notNull())
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('commit', 'text', (c) => c.notNull())
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('pushed_at', 'integer', (c) => c.notNull())
      .addColumn('changes', 'text')
      .addPrimaryKeyConstraint('revisions_key', ['job', 'attempt'])
      .execute()
    await db.schema
      .createTable('decisions')
      .addColumn('job', 'integer', (c) => c.primaryKey().references('jobs.id'))
      .addColumn('attempt', 'integer', (c) => c.notNull())
      .addColumn('verdict', 'text', (c) => c.notNull())
      .addColumn('commit', 'text', (c) => c.notNull())
      .addColumn('branch', 'text')
      .addColumn('reason', 'text')
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('pushes')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('repo', 'text', (c) => c.notNull())
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('ref_updates')
      .addColumn('push', 'text', (c) => c.notNull().references('pushes.id'))
      .addColumn('ref', 'text', (c) => c.notNull())
      .addColumn('old', 'text')
      .addColumn('new', 'text')
      .addPrimaryKeyConstraint('ref_updates_key', ['push', 'ref'])
      .execute()
    await sql`insert into people (name, role, created_at) values ('owner', 'owner', 0)`.execute(db)
  },
}

export const migrations: Readonly<Record<string, Migration>> = {
  '0001-first': first,
  '0002-webhooks': webhooks,
}
