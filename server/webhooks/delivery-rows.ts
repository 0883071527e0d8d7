/** Deliveries as the API shows them, made from the database's rows. */
import { type Iso, toIso } from '../protocol/ids.ts'
import {
  type Delivery,
  type DeliveryAttempt,
  type DeliveryDetails,
  type DeliveryId,
  delivery,
  deliveryAttempt,
  type WebhookId,
} from '../protocol/webhooks.ts'
import type { Database } from '../store/database.ts'

const toIsoOrNull = (ms: number | null): Iso | null => (ms === null ? null : toIso(ms))

const selectDeliveries = (db: Database, webhook: WebhookId) =>
  db
    .selectFrom('deliveries')
    .select(['id', 'webhook', 'guid', 'event', 'action', 'repo', 'state', 'created_at', 'next_at'])
    .select((select) =>
      select
        .selectFrom('delivery_attempts')
        .select('status')
        .whereRef('delivery_attempts.delivery', '=', 'deliveries.id')
        .orderBy('number', 'desc')
        .limit(1)
        .as('status'),
    )
    .where('webhook', '=', webhook)

type Row = Awaited<ReturnType<ReturnType<typeof selectDeliveries>['executeTakeFirstOrThrow']>>

const toDelivery = ({ created_at, next_at, ...row }: Row): Delivery =>
  delivery.parse({ ...row, createdAt: toIso(created_at), nextAt: toIsoOrNull(next_at) })

const readAttempts = async (db: Database, id: DeliveryId): Promise<DeliveryAttempt[]> => {
  const rows = await db
    .selectFrom('delivery_attempts')
    .selectAll()
    .where('delivery', '=', id)
    .orderBy('number')
    .execute()
  return rows.map((row) =>
    deliveryAttempt.parse({
      number: row.number,
      at: toIso(row.at),
      ms: row.ms,
      requestHeaders: JSON.parse(row.request_headers) as unknown,
      failure: row.failure,
      response:
        row.status === null
          ? null
          : {
              status: row.status,
              headers: JSON.parse(row.response_headers ?? '{}') as unknown,
              body: row.response_body ?? '',
            },
    }),
  )
}

export const openDeliveryReader = (db: Database) => ({
  /** Newest first; `before` is the last id of the page before. */
  async list(webhook: WebhookId, before: DeliveryId | null, limit: number): Promise<Delivery[]> {
    const all = selectDeliveries(db, webhook).orderBy('id', 'desc').limit(limit)
    const rows = await (before ? all.where('id', '<', before) : all).execute()
    return rows.map(toDelivery)
  },

  /** A delivery with every attempt that is kept, or null. */
  async find(webhook: WebhookId, id: DeliveryId): Promise<DeliveryDetails | null> {
    const row = await selectDeliveries(db, webhook).select('payload').where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const { payload, ...shown } = row
    return { ...toDelivery(shown), payload, attempts: await readAttempts(db, id) }
  },
})
