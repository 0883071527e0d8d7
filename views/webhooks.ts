/** The webhooks of a repository, or those for every repository: what exists, and a new one. */
import type { RepoName } from '../server/protocol/ids.ts'
import { type Webhook, type WebhookEvent, webhookEvent } from '../server/protocol/webhooks.ts'
import { copyLine } from './copy.ts'
import { postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Crumb, type Flash, layout } from './layout.ts'
import { ago } from './measure.ts'
import { nextPage } from './pagination.ts'
import { paths } from './paths.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'

/** What was typed and refused, to be put right. */
export type WebhookDraft = {
  readonly url: string
  readonly events: readonly WebhookEvent[]
  readonly problem: string
}

export type WebhooksData = {
  readonly viewer: Person
  readonly flash: Flash | null
  readonly now: number
  /** null: every webhook of the forge; a new one is for every repository. */
  readonly repo: RepoName | null
  readonly webhooks: readonly Webhook[]
  readonly next: string | null
  readonly draft: WebhookDraft | null
  /** The secret of a webhook that was made a moment ago. It is shown here and never again. */
  readonly created: { readonly webhook: Webhook; readonly secret: string } | null
}

export const webhookCrumbs = (repo: RepoName | null): Crumb[] => [
  { text: 'Repositories', href: paths.home },
  ...(repo === null ? [] : [{ text: repo, href: paths.repo(repo) }]),
]

const eventName = (event: WebhookEvent): string => {
  switch (event) {
    case 'push':
      return 'Pushes'
    case 'create':
      return 'New branches and tags'
    case 'delete':
      return 'Deleted branches and tags'
    case 'pull_request':
      return 'Proposals'
  }
}

export const eventNames = (events: readonly WebhookEvent[]): string => events.map(eventName).join(', ')

const row =
  (now: number) =>
  ({ id, url, repo, events, createdAt }: Webhook): Html =>
    html`<li class="row"><a class="row-title" href="${paths.webhook(id)}">${visible(url)}</a><span class="row-note">${repo ?? 'every repository'} · ${eventNames(events)} · made ${ago(createdAt, now)}</span></li>`

const eventBox =
  (chosen: readonly WebhookEvent[]) =>
  (event: WebhookEvent): Html =>
    html`<label class="check"><input type="checkbox" name="events" value="${event}"${chosen.includes(event) && html` checked`}> ${eventName(event)} <code>${event}</code></label>`

const newWebhook = ({ viewer, repo, draft }: WebhooksData): Html => html`<section class="card">
<h2>New webhook</h2>
${postForm(
  paths.webhooks(repo),
  viewer.csrf,
  html`<label>Address <input name="url" type="url" required maxlength="2000" autocomplete="off" spellcheck="false" placeholder="https://ci.example.org/hook" value="${draft?.url}" aria-describedby="url-help"></label>
<p class="${draft ? 'problem' : 'hint'}" id="url-help">${draft ? visible(draft.problem) : 'It gets a signed POST for each event, in the shapes that GitHub uses.'}</p>
<fieldset><legend>Tell it of</legend>${webhookEvent.options.map(eventBox(draft?.events ?? webhookEvent.options))}</fieldset>
<button class="button primary" type="submit">Create webhook</button>`,
)}
</section>`

export const webhooksPage = (data: WebhooksData): string => {
  const { viewer, flash, now, repo, webhooks, next, created } = data
  return layout({
    title: repo === null ? 'Webhooks' : `Webhooks · ${repo}`,
    path: paths.webhooks(repo),
    crumbs: webhookCrumbs(repo),
    viewer,
    flash,
    main: html`<header class="page-head"><h1>Webhooks</h1><p>${repo === null ? 'Other programs that hear what happens here. Those made on this page hear of every repository.' : html`Other programs that hear what happens in this repository. <a href="${paths.webhooks(null)}">Some may hear of every repository.</a>`}</p></header>
${
  created !== null &&
  html`<section class="card new-token" role="status"><h2>The secret of <a href="${paths.webhook(created.webhook.id)}">${visible(created.webhook.url)}</a></h2><p>It signs every request. Copy it now: it is not shown again.</p>${copyLine(created.secret)}</section>`
}
${newWebhook(data)}
${webhooks.length > 0 && html`<ul class="rows">${webhooks.map(row(now))}</ul>`}
${nextPage(paths.webhooks(repo), next)}`,
  })
}
