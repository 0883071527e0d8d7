/** One delivery of a webhook: what was sent, and what came back each time. */
import type { DeliveryAttempt, DeliveryDetails, Webhook } from '../server/protocol/webhooks.ts'
import { postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { moment } from './measure.ts'
import { paths } from './paths.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'
import { deliveryBadge, deliveryTitle } from './webhook.ts'
import { webhookCrumbs } from './webhooks.ts'

export type DeliveryData = {
  readonly viewer: Person
  readonly flash: Flash | null
  readonly webhook: Webhook
  readonly delivery: DeliveryDetails
}

const headerLines = (headers: Readonly<Record<string, string>>): string =>
  Object.entries(headers)
    .map(([name, value]) => `${name}: ${value}\n`)
    .join('')

const block = (label: string, text: string): Html =>
  html`<p class="label">${label}</p><pre class="plain" tabindex="0" aria-label="${label}">${visible(text)}</pre>`

const attempt = ({ number, at, ms, failure, requestHeaders, response }: DeliveryAttempt): Html =>
  html`<details class="section"><summary><h2>Attempt ${number}: ${response === null ? 'no answer' : response.status}</h2> <span class="hint">${moment(at)}, ${ms} ms</span></summary>
${failure !== null && html`<p>${visible(failure)}</p>`}
${block('Request headers', headerLines(requestHeaders))}
${response !== null && html`${block('Answer headers', headerLines(response.headers))}${block('Answer', response.body)}`}
</details>`

const indented = (payload: string): string => JSON.stringify(JSON.parse(payload), null, 2)

export const deliveryPage = ({ viewer, flash, webhook, delivery }: DeliveryData): string => {
  const { id, guid, payload, attempts, nextAt } = delivery
  return layout({
    title: `Delivery ${id}`,
    path: paths.delivery(webhook.id, id),
    crumbs: [
      ...webhookCrumbs(webhook.repo),
      { text: 'Webhooks', href: paths.webhooks(webhook.repo) },
      { text: `Webhook ${webhook.id}`, href: paths.webhook(webhook.id) },
    ],
    viewer,
    flash,
    main: html`<header class="page-head with-action"><h1>${deliveryTitle(delivery)}</h1>${postForm(paths.redeliver(webhook.id, id), viewer.csrf, html`<button class="button" type="submit">Redeliver</button>`, 'inline')}</header>
<p>${deliveryBadge(delivery)} <code class="id">${guid}</code>${nextAt !== null && html` <span class="hint">next try ${moment(nextAt)}</span>`}</p>
${attempts.length === 0 ? html`<p class="empty">It has not been sent yet.</p>` : attempts.toReversed().map(attempt)}
<section class="section"><h2>Payload</h2><pre class="plain" tabindex="0" aria-label="Payload">${visible(indented(payload))}</pre></section>`,
  })
}
