/** Makes what was announced into deliveries, one for each webhook that wants it. */
import type { Logger } from 'pino'
import type { Webhook, WebhookId } from '../protocol/webhooks.ts'
import type { Database } from '../store/database.ts'
import { type Announcement, announcement } from './announcement.ts'
import type { DeliveryQueue } from './delivery-queue.ts'
import type { Payload } from './payload.ts'
import type { Payloads } from './payloads.ts'
import { type WebhookStore, wants } from './webhook-store.ts'

type Parts = Readonly<{
  db: Database
  store: WebhookStore
  queue: DeliveryQueue
  payloads: Payloads
  log: Logger
}>

type Addressed = Readonly<{ webhook: WebhookId; payload: Payload }>

export const openFanOut = ({ db, store, queue, payloads, log }: Parts) => {
  /** Announcements that this process could not read; they are tried again at the next start. */
  const leftAside = new Set<number>()

  const ofPing = async ({ webhook: id, sender }: Extract<Announcement, { type: 'pinged' }>) => {
    const webhook = await store.find(id)
    return webhook ? [{ webhook: webhook.id, payload: payloads.ofPing(webhook, sender) }] : []
  }

  const ofNews = async (
    news: Exclude<Announcement, { type: 'pinged' }>,
    at: number,
    webhooks: readonly Webhook[],
  ): Promise<Addressed[]> => {
    const all = webhooks.length === 0 ? [] : await payloads.of(news, at)
    return webhooks.flatMap((webhook) =>
      all.filter(({ event }) => wants(webhook, event)).map((payload) => ({ webhook: webhook.id, payload })),
    )
  }

  const deliver = async (id: number, repo: string | null, addressed: readonly Addressed[]): Promise<void> => {
    await db.transaction().execute(async (transaction) => {
      for (const { webhook, payload } of addressed) {
        await queue.add(transaction, webhook, repo, payload)
      }
      await transaction.deleteFrom('announcements').where('id', '=', id).execute()
    })
  }

  const fanOut = async ({ id, at, body }: { id: number; at: number; body: string }): Promise<void> => {
    const news = announcement.parse(JSON.parse(body))
    if (news.type === 'pinged') await deliver(id, null, await ofPing(news))
    else await deliver(id, news.repo, await ofNews(news, at, await store.ofRepo(news.repo)))
  }

  /** The oldest announcement that is not made into deliveries yet; false: there is none. */
  return async (): Promise<boolean> => {
    const row = await db
      .selectFrom('announcements')
      .selectAll()
      .where('id', 'not in', leftAside.size === 0 ? [0] : [...leftAside])
      .orderBy('id')
      .executeTakeFirst()
    if (!row) return false
    try {
      await fanOut(row)
    } catch (error) {
      leftAside.add(row.id)
      log.error({ err: error, announcement: row.id }, 'an event could not be made into deliveries')
    }
    return true
  }
}
