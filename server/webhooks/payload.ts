import type { WebhookEvent } from '../protocol/webhooks.ts'
import type { CreateShape, DeleteShape, PingShape, PullRequestEventShape, PushShape } from './shapes.ts'

/** What is to be delivered to whoever subscribed to `event`. */
export type Payload = Readonly<{
  event: WebhookEvent | 'ping'
  action: string | null
  body: PushShape | CreateShape | DeleteShape | PullRequestEventShape | PingShape
}>
