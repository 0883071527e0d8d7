import { toIso } from '../../server/protocol/ids.ts'
import { deliveryDetails, webhook as webhookShape } from '../../server/protocol/webhooks.ts'
import { name, now, owner } from './samples.ts'

/** A webhook whose address, and deliveries whose every text from elsewhere, is `text`. */
export const webhookSamples = (text: string) => {
  const at = toIso(now - 90_000)
  const webhook = webhookShape.parse({
    id: 7,
    repo: name,
    url: text,
    events: ['push', 'pull_request'],
    createdAt: toIso(now - 90_000_000),
    createdBy: owner,
  })
  const delivery = deliveryDetails.parse({
    id: 31,
    webhook: 7,
    guid: '0f7ad5c4-0d3e-4a57-9a52-0a4e5e1c7a11',
    event: 'pull_request',
    action: 'opened',
    repo: name,
    state: 'waiting',
    createdAt: at,
    nextAt: toIso(now + 15_000),
    status: 503,
    payload: JSON.stringify({ zen: text }),
    attempts: [
      {
        number: 1,
        at,
        ms: 10_000,
        requestHeaders: { 'x-github-event': 'pull_request' },
        failure: text,
        response: null,
      },
      {
        number: 2,
        at,
        ms: 12,
        requestHeaders: { 'x-github-event': 'pull_request' },
        failure: text,
        response: { status: 503, headers: { server: text }, body: text },
      },
    ],
  })
  const delivered = deliveryDetails.parse({
    ...delivery,
    id: 30,
    state: 'delivered',
    nextAt: null,
    status: 200,
  })
  const failed = deliveryDetails.parse({ ...delivery, id: 29, state: 'failed', nextAt: null, status: null })
  return { webhook, delivery, deliveries: [delivery, delivered, failed] }
}
