/** One webhook: what it hears of, and what it was sent. */
import type { Delivery, Webhook } from '../server/protocol/webhooks.ts'
import { dangerForm, postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { ago, moment } from './measure.ts'
import { nextPage } from './pagination.ts'
import { paths } from './paths.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'
import { eventNames, webhookCrumbs } from './webhooks.ts'

export type WebhookData = {
  readonly viewer: Person
  readonly flash: Flash | null
  readonly now: number
  readonly webhook: Webhook
  /** Newest first. */
  readonly deliveries: readonly Delivery[]
  readonly next: string | null
}

export const deliveryBadge = ({ state }: Delivery): Html => {
  switch (state) {
    case 'waiting':
      return html`<span class="badge state-queued">Waiting</span>`
    case 'delivered':
      return html`<span class="badge state-approved">Delivered</span>`
    case 'failed':
      return html`<span class="badge state-failed">Failed</span>`
  }
}

export const deliveryTitle = ({ event, action, repo }: Delivery): string =>
  `${event}${action === null ? '' : ` ${action}`}${repo === null ? '' : ` in ${repo}`}`

const row =
  (now: number) =>
  (delivery: Delivery): Html =>
    html`<li class="row job-row">${deliveryBadge(delivery)}<a class="row-title" href="${paths.delivery(delivery.webhook, delivery.id)}">${deliveryTitle(delivery)}</a><span class="row-note">${delivery.status !== null && html`answered ${delivery.status} · `}${ago(delivery.createdAt, now)}${delivery.nextAt !== null && html` · next try ${moment(delivery.nextAt)}`}</span></li>`

export const webhookPage = ({ viewer, flash, now, webhook, deliveries, next }: WebhookData): string => {
  const { id, url, repo, events, createdAt } = webhook
  return layout({
    title: `Webhook ${id}`,
    path: paths.webhook(id),
    crumbs: [...webhookCrumbs(repo), { text: 'Webhooks', href: paths.webhooks(repo) }],
    viewer,
    flash,
    main: html`<header class="page-head with-action"><h1>Webhook ${id}</h1>${postForm(paths.pingWebhook(id), viewer.csrf, html`<button class="button" type="submit">Send a ping</button>`, 'inline')}</header>
<p><code>${visible(url)}</code></p>
<p class="hint">Hears of ${repo === null ? 'every repository' : html`<a href="${paths.repo(repo)}">${repo}</a>`}: ${eventNames(events)}. Made ${ago(createdAt, now)}. Its secret is not shown again.</p>
<section class="section"><h2>Deliveries</h2>
${deliveries.length === 0 ? html`<p class="empty">Nothing has been sent yet.</p>` : html`<ul class="rows">${deliveries.map(row(now))}</ul>`}
${nextPage(paths.webhook(id), next)}</section>
<details class="section danger-zone"><summary><h2>Delete this webhook</h2></summary>
<p>Nothing more is sent, also nothing that waits. The record of its deliveries goes with it.</p>
${dangerForm(paths.deleteWebhook(id), viewer.csrf, { question: `Delete webhook ${id} and the record of its deliveries?`, action: 'Delete webhook' }, null)}</details>`,
  })
}
