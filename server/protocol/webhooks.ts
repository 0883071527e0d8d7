/** Webhooks in the JSON of `/api/v1`: what is subscribed to, what was sent, what came back. */
import { z } from 'zod'
import { iso, repoName, tokenId } from './ids.ts'

/** A webhook, as `X-GitHub-Hook-ID` names it. */
export const webhookId = z.int().positive().brand<'WebhookId'>()
export type WebhookId = z.infer<typeof webhookId>

/** One event for one webhook. Each of its attempts carries the same `X-GitHub-Delivery`. */
export const deliveryId = z.int().positive().brand<'DeliveryId'>()
export type DeliveryId = z.infer<typeof deliveryId>

const number = z.string().regex(/^[1-9][0-9]{0,14}$/, 'it is named by its number')
export const webhookIdText = number.transform(Number).pipe(webhookId)
export const deliveryIdText = number.transform(Number).pipe(deliveryId)

/** What can be subscribed to, by GitHub's names. `ping` needs no subscription. */
export const webhookEvent = z.enum(['push', 'create', 'delete', 'pull_request'])
export type WebhookEvent = z.infer<typeof webhookEvent>

const isPlain = (text: string): boolean => {
  const { username, password, hash } = new URL(text)
  return username === '' && password === '' && hash === ''
}

export const webhookUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL', abort: true })
  .max(2000, { error: 'at most 2000 characters', abort: true })
  .refine(isPlain, 'a URL without a user name, a password or a #fragment')

/** Without `repo`: for every repository. Without `secret`: the forge makes one. */
export const createWebhook = z.strictObject({
  url: webhookUrl,
  repo: repoName.optional(),
  events: z
    .array(webhookEvent)
    .min(1)
    .transform((events) => [...new Set(events)])
    .default([...webhookEvent.options]),
  secret: z.string().min(16, 'at least 16 characters').max(200).optional(),
})
export type CreateWebhook = z.infer<typeof createWebhook>

export const webhook = z.object({
  id: webhookId,
  repo: repoName.nullable(),
  url: z.string(),
  events: z.array(webhookEvent),
  createdAt: iso,
  createdBy: tokenId,
})
export type Webhook = z.infer<typeof webhook>

/** The only answer that ever holds the secret. */
export const createdWebhook = webhook.extend({ secret: z.string() })

export const deliveryState = z.enum(['waiting', 'delivered', 'failed'])

export const delivery = z.object({
  id: deliveryId,
  webhook: webhookId,
  guid: z.string(),
  event: z.enum([...webhookEvent.options, 'ping']),
  action: z.string().nullable(),
  repo: repoName.nullable(),
  state: deliveryState,
  createdAt: iso,
  /** When the next attempt is due, while it waits. */
  nextAt: iso.nullable(),
  /** The status of the last answer; null where there was none. */
  status: z.int().nullable(),
})
export type Delivery = z.infer<typeof delivery>

const headers = z.record(z.string(), z.string())

export const deliveryAttempt = z.object({
  number: z.int().positive(),
  at: iso,
  ms: z.int(),
  requestHeaders: headers,
  /** Why there was no answer, or why it does not count as taken, as a sentence. */
  failure: z.string().nullable(),
  response: z.object({ status: z.int(), headers, body: z.string() }).nullable(),
})
export type DeliveryAttempt = z.infer<typeof deliveryAttempt>

/** `payload`: the body exactly as it was signed and sent. */
export const deliveryDetails = delivery.extend({
  payload: z.string(),
  attempts: z.array(deliveryAttempt),
})
export type DeliveryDetails = z.infer<typeof deliveryDetails>
