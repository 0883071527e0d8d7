/** The webhooks themselves: made, listed, removed. */
import { randomBytes } from 'node:crypto'
import type { Selectable } from 'kysely'
import { z } from 'zod'
import { ForgeError } from '../errors.ts'
import { type RepoName, repoName, type TokenId, toIso, tokenId } from '../protocol/ids.ts'
import {
  type CreateWebhook,
  type Webhook,
  type WebhookEvent,
  type WebhookId,
  webhookEvent,
  webhookId,
} from '../protocol/webhooks.ts'
import type { Database } from '../store/database.ts'
import type { Tables } from '../store/schema.ts'

type Row = Selectable<Tables['webhooks']>

/** As many as a person will look after; each may hold a connection. */
const mostWebhooks = 200

const toWebhook = (row: Row): Webhook => ({
  id: webhookId.parse(row.id),
  repo: repoName.nullable().parse(row.repo),
  url: row.url,
  events: z.array(webhookEvent).parse(JSON.parse(row.events)),
  createdAt: toIso(row.created_at),
  createdBy: tokenId.parse(row.token),
})

export const openWebhookStore = (db: Database, now: () => number) => ({
  /** Stores a webhook and returns its secret, which no later answer shows. */
  async create(
    { url, repo, events, secret: given }: CreateWebhook,
    by: TokenId,
  ): Promise<{ webhook: Webhook; secret: string }> {
    const { count } = await db
      .selectFrom('webhooks')
      .select((select) => select.fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow()
    if (count >= mostWebhooks) {
      throw new ForgeError('wrong-state', `There are ${mostWebhooks} webhooks. Delete one that nobody needs.`)
    }
    const secret = given ?? randomBytes(32).toString('base64url')
    const row = await db
      .insertInto('webhooks')
      .values({
        repo: repo ?? null,
        url,
        secret,
        events: JSON.stringify(events),
        token: by,
        created_at: now(),
      })
      .returningAll()
      .executeTakeFirstOrThrow()
    return { webhook: toWebhook(row), secret }
  },

  async find(id: WebhookId): Promise<Webhook | null> {
    const row = await db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst()
    return row ? toWebhook(row) : null
  },

  /** What a request to this webhook is signed with; null where it has been deleted. */
  async secretOf(id: WebhookId): Promise<{ url: string; secret: string } | null> {
    const row = await db
      .selectFrom('webhooks')
      .select(['url', 'secret'])
      .where('id', '=', id)
      .executeTakeFirst()
    return row ?? null
  },

  /** Oldest first, by pages; of one repository (the global ones are not its own), or all. */
  async list(repo: RepoName | null, after: WebhookId | null, limit: number): Promise<Webhook[]> {
    let query = db.selectFrom('webhooks').selectAll().orderBy('id').limit(limit)
    if (repo) query = query.where('repo', '=', repo)
    if (after) query = query.where('id', '>', after)
    return (await query.execute()).map(toWebhook)
  },

  /** Those that hear of what happens in this repository: its own and the global ones. */
  async ofRepo(repo: RepoName): Promise<Webhook[]> {
    const rows = await db
      .selectFrom('webhooks')
      .selectAll()
      .where((where) => where.or([where('repo', 'is', null), where('repo', '=', repo)]))
      .orderBy('id')
      .execute()
    return rows.map(toWebhook)
  },

  /** Removes the webhook with its deliveries, also those that wait. */
  async remove(id: WebhookId): Promise<void> {
    await db.deleteFrom('webhooks').where('id', '=', id).execute()
  },

  /** A repository that is gone takes its webhooks with it: another of its name must not inherit them. */
  async removeOfRepo(repo: RepoName): Promise<void> {
    await db.deleteFrom('webhooks').where('repo', '=', repo).execute()
  },
})

export type WebhookStore = ReturnType<typeof openWebhookStore>

/** Whether a webhook is to hear of the event. A ping is meant for whom it is sent to. */
export const wants = ({ events }: Webhook, event: WebhookEvent | 'ping'): boolean =>
  event === 'ping' || events.includes(event)
