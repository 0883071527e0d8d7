/** The headers of a delivery, among them its signature (GitHub, "Validating webhook deliveries"). */
import { createHmac } from 'node:crypto'
import type { Delivery } from '../protocol/webhooks.ts'

/** `X-Hub-Signature-256`: HMAC-SHA-256 of the body's bytes, keyed with the secret. */
const signatureOf = (payload: Buffer, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(payload).digest('hex')}`

export const headersOf = (
  { webhook, guid, event }: Pick<Delivery, 'webhook' | 'guid' | 'event'>,
  payload: Buffer,
  secret: string,
): Readonly<Record<string, string>> => ({
  accept: '*/*',
  'content-type': 'application/json',
  'content-length': String(payload.length),
  'user-agent': 'Agent-Workspace-Webhook',
  'x-github-delivery': guid,
  'x-github-event': event,
  'x-github-hook-id': String(webhook),
  'x-hub-signature-256': signatureOf(payload, secret),
})
