/** What a person does to webhooks: makes, deletes and pings them, asks for a delivery again. */
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import type { Person } from '../identity/identity.ts'
import type { CreateWebhook, DeliveryDetails, DeliveryId, Webhook, WebhookId } from '../protocol/webhooks.ts'
import { judgeTarget, TargetError } from './target.ts'

/** The webhook, or a 404. */
export const getWebhook = async ({ webhooks }: Forge, id: WebhookId): Promise<Webhook> => {
  const webhook = await webhooks.store.find(id)
  if (!webhook) throw new ForgeError('not-found', `There is no webhook ${id}.`)
  return webhook
}

/** A host that has no address yet may get one; a host that is refused is said so at once. */
const checkTarget = async ({ webhooks }: Forge, url: string): Promise<void> => {
  try {
    await judgeTarget(new URL(url), webhooks.allowed)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    if (error.code === 'refused') throw new ForgeError('bad-request', error.message)
  }
}

const announcePing = async ({ db, webhooks }: Forge, person: Person, webhook: WebhookId): Promise<void> => {
  const sender = { kind: 'person' as const, name: person.person }
  await db
    .transaction()
    .execute((transaction) => webhooks.announce(transaction, [{ type: 'pinged', webhook, sender }]))
}

/** Makes a webhook and pings it. The secret is in no later answer. */
export const addWebhook = async (
  forge: Forge,
  person: Person,
  wanted: CreateWebhook,
): Promise<{ webhook: Webhook; secret: string }> => {
  const { audit, repositories, webhooks, now } = forge
  if (wanted.repo) await repositories.get(wanted.repo)
  await checkTarget(forge, wanted.url)
  const made = await webhooks.store.create(wanted, person.token)
  const { id: webhook, repo, url } = made.webhook
  await audit.append(
    { type: 'webhook-created', webhook, repo, host: new URL(url).origin, by: person.token },
    now(),
  )
  await announcePing(forge, person, webhook)
  return made
}

export const removeWebhook = async (forge: Forge, person: Person, id: WebhookId): Promise<Webhook> => {
  const webhook = await getWebhook(forge, id)
  await forge.webhooks.store.remove(id)
  await forge.audit.append({ type: 'webhook-deleted', webhook: id, by: person.token }, forge.now())
  return webhook
}

export const pingWebhook = async (forge: Forge, person: Person, id: WebhookId): Promise<void> => {
  await getWebhook(forge, id)
  await announcePing(forge, person, id)
}

/** The delivery with its attempts, or a 404. */
export const getDelivery = async (
  { webhooks }: Forge,
  webhook: WebhookId,
  id: DeliveryId,
): Promise<DeliveryDetails> => {
  const delivery = await webhooks.deliveries.find(webhook, id)
  if (!delivery) throw new ForgeError('not-found', `There is no delivery ${id} of webhook ${webhook}.`)
  return delivery
}

/** Sends a delivery again, now and with all its retries, under the same `X-GitHub-Delivery`. */
export const redeliver = async (forge: Forge, webhook: WebhookId, id: DeliveryId): Promise<void> => {
  await getDelivery(forge, webhook, id)
  await forge.webhooks.queue.again(webhook, id)
  forge.webhooks.wake()
}
