/** Deliveries on their way: what is due, what came of it, and how much of it is kept. */
import { randomUUID } from 'node:crypto'
import type { Transaction } from 'kysely'
import { type DeliveryId, deliveryId, type WebhookId, webhookId } from '../protocol/webhooks.ts'
import type { Database } from '../store/database.ts'
import type { Tables } from '../store/schema.ts'
import type { Payload } from './payload.ts'
import { retryAt } from './retry.ts'
import type { Outcome } from './send.ts'

/** Of each webhook: deliveries that have ended and stay readable, and those that may wait for a consumer. */
const mostEnded = 200
const mostWaiting = 10_000
const mostAttempts = 20

export type Due = Readonly<{
  id: DeliveryId
  webhook: WebhookId
  guid: string
  event: Payload['event']
  payload: string
  tries: number
  /** Since when it has been due. */
  at: number
}>

export type Attempt = Readonly<{
  at: number
  ms: number
  requestHeaders: Readonly<Record<string, string>>
  outcome: Outcome
}>

type Executor = Database | Transaction<Tables>

/** The delivery of this webhook and of these states that is followed by `count` newer ones: it and older ones are too many. */
const oldestToKeep = (db: Executor, webhook: WebhookId, waiting: boolean, count: number) =>
  db
    .selectFrom('deliveries')
    .select('id')
    .where('webhook', '=', webhook)
    .where('state', waiting ? '=' : '!=', 'waiting')
    .orderBy('id', 'desc')
    .limit(1)
    .offset(count)

const store = async (db: Executor, id: DeliveryId, attempt: Attempt): Promise<void> => {
  const { answer } = attempt.outcome
  const { last } = await db
    .selectFrom('delivery_attempts')
    .select((select) => select.fn.max('number').as('last'))
    .where('delivery', '=', id)
    .executeTakeFirstOrThrow()
  const number = (last ?? 0) + 1
  await db
    .insertInto('delivery_attempts')
    .values({
      delivery: id,
      number,
      at: attempt.at,
      ms: attempt.ms,
      request_headers: JSON.stringify(attempt.requestHeaders),
      status: answer?.status ?? null,
      failure: attempt.outcome.taken ? null : attempt.outcome.failure,
      response_headers: answer && JSON.stringify(answer.headers),
      response_body: answer?.body ?? null,
    })
    .execute()
  await db
    .deleteFrom('delivery_attempts')
    .where('delivery', '=', id)
    .where('number', '<=', number - mostAttempts)
    .execute()
}

export const openDeliveryQueue = (db: Database, now: () => number) => ({
  /** Queues a payload for a webhook that still exists, in the transaction of whoever forgets what it tells of. */
  async add(transaction: Transaction<Tables>, webhook: WebhookId, repo: string | null, payload: Payload) {
    const { event, action, body } = payload
    const row = await transaction
      .selectFrom('webhooks')
      .select('id')
      .where('id', '=', webhook)
      .executeTakeFirst()
    if (!row) return
    await transaction
      .insertInto('deliveries')
      .values({
        webhook,
        guid: randomUUID(),
        event,
        action,
        repo,
        payload: JSON.stringify(body),
        state: 'waiting',
        tries: 0,
        created_at: now(),
        next_at: now(),
      })
      .execute()
    await transaction
      .updateTable('deliveries')
      .set({ state: 'failed', next_at: null })
      .where('webhook', '=', webhook)
      .where('state', '=', 'waiting')
      .where('id', '<=', oldestToKeep(transaction, webhook, true, mostWaiting))
      .execute()
  },

  /** Webhooks for which something is due. */
  async dueWebhooks(): Promise<WebhookId[]> {
    const rows = await db
      .selectFrom('deliveries')
      .select('webhook')
      .distinct()
      .where('next_at', '<=', now())
      .execute()
    return rows.map(({ webhook }) => webhookId.parse(webhook))
  },

  /** The oldest delivery that is due for this webhook. */
  async next(webhook: WebhookId): Promise<Due | null> {
    const row = await db
      .selectFrom('deliveries')
      .select(['id', 'guid', 'event', 'payload', 'tries', 'next_at'])
      .where('webhook', '=', webhook)
      .where('next_at', '<=', now())
      .orderBy('id')
      .executeTakeFirst()
    if (!row) return null
    const { guid, payload, tries } = row
    // Written by `add` alone, from a Payload.
    const event = row.event as Payload['event']
    return { id: deliveryId.parse(row.id), webhook, guid, event, payload, tries, at: row.next_at ?? 0 }
  },

  /** When something will be due that is not yet, in milliseconds since the epoch; null: nothing. */
  async nextAt(): Promise<number | null> {
    const { at } = await db
      .selectFrom('deliveries')
      .select((select) => select.fn.min('next_at').as('at'))
      .where('next_at', '>', now())
      .executeTakeFirstOrThrow()
    return at
  },

  /**
   * Writes an attempt down, and when the next one is; that stays as it is where somebody has asked for the delivery
   * again in the meantime.
   */
  async settle({ id, webhook, tries, at }: Due, attempt: Attempt): Promise<void> {
    const { outcome } = attempt
    const next = outcome.taken || outcome.final ? null : retryAt(tries + 1, now())
    const state = next !== null ? 'waiting' : outcome.taken ? 'delivered' : 'failed'
    await db.transaction().execute(async (transaction) => {
      const still = await transaction
        .selectFrom('deliveries')
        .select('id')
        .where('id', '=', id)
        .executeTakeFirst()
      // The webhook was deleted while the request was under way.
      if (!still) return
      await store(transaction, id, attempt)
      await transaction
        .updateTable('deliveries')
        .set({ state, next_at: next, tries: tries + 1 })
        .where('id', '=', id)
        .where('next_at', '=', at)
        .execute()
      await transaction
        .deleteFrom('deliveries')
        .where('webhook', '=', webhook)
        .where('state', '!=', 'waiting')
        .where('id', '<=', oldestToKeep(transaction, webhook, false, mostEnded))
        .execute()
    })
  },

  /** Makes a delivery due now, with all its attempts before it. */
  async again(webhook: WebhookId, id: DeliveryId): Promise<void> {
    await db
      .updateTable('deliveries')
      .set({ state: 'waiting', next_at: now(), tries: 0 })
      .where('id', '=', id)
      .where('webhook', '=', webhook)
      .execute()
  },
})

export type DeliveryQueue = ReturnType<typeof openDeliveryQueue>
