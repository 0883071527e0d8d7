/** The second step of the database: webhooks, their queue, and pushes whose refs may be moving. */
import type { Kysely } from 'kysely'
import type { Migration } from 'kysely/migration'

export const webhooks: Migration = {
  async up(db: Kysely<unknown>) {
    await db.schema
      .createTable('push_intents')
      .addColumn('id', 'text', (c) => c.primaryKey())
      .addColumn('repo', 'text', (c) => c.notNull())
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('sender', 'text', (c) => c.notNull())
      .addColumn('updates', 'text', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('webhooks')
      .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('repo', 'text')
      .addColumn('url', 'text', (c) => c.notNull())
      .addColumn('secret', 'text', (c) => c.notNull())
      .addColumn('events', 'text', (c) => c.notNull())
      .addColumn('token', 'text', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('announcements')
      .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('body', 'text', (c) => c.notNull())
      .execute()
    await db.schema
      .createTable('deliveries')
      .addColumn('id', 'integer', (c) => c.primaryKey().autoIncrement())
      .addColumn('webhook', 'integer', (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
      .addColumn('guid', 'text', (c) => c.notNull())
      .addColumn('event', 'text', (c) => c.notNull())
      .addColumn('action', 'text')
      .addColumn('repo', 'text')
      .addColumn('payload', 'text', (c) => c.notNull())
      .addColumn('state', 'text', (c) => c.notNull())
      .addColumn('tries', 'integer', (c) => c.notNull())
      .addColumn('created_at', 'integer', (c) => c.notNull())
      .addColumn('next_at', 'integer')
      .execute()
    await db.schema.createIndex('deliveries_by_webhook').on('deliveries').columns(['webhook', 'id']).execute()
    await db.schema.createIndex('deliveries_due').on('deliveries').columns(['next_at', 'webhook']).execute()
    await db.schema
      .createTable('delivery_attempts')
      .addColumn('delivery', 'integer', (c) => c.notNull().references('deliveries.id').onDelete('cascade'))
      .addColumn('number', 'integer', (c) => c.notNull())
      .addColumn('at', 'integer', (c) => c.notNull())
      .addColumn('ms', 'integer', (c) => c.notNull())
      .addColumn('request_headers', 'text', (c) => c.notNull())
      .addColumn('status', 'integer')
      .addColumn('failure', 'text')
      .addColumn('response_headers', 'text')
      .addColumn('response_body', 'text')
      .addPrimaryKeyConstraint('delivery_attempts_key', ['delivery', 'number'])
      .execute()
  },
}
