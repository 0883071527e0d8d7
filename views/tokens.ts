/** A person's tokens: what exists, a new one, and none. */
import type { Token } from '../server/protocol/api.ts'
import { copyLine } from './copy.ts'
import { dangerForm, postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { ago, moment } from './measure.ts'
import { nextPage } from './pagination.ts'
import { paths } from './paths.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'

export type TokensData = {
  readonly viewer: Person
  readonly flash: Flash | null
  readonly now: number
  readonly tokens: readonly Token[]
  readonly next: string | null
  /** The text of a token that was made a moment ago. It is shown here and never again. */
  readonly created: { readonly label: string; readonly token: string } | null
}

const status = (token: Token, now: number): Html => {
  if (token.revokedAt !== null) return html`revoked ${ago(token.revokedAt, now)}`
  if (token.scope === null) return html`may do all that you may`
  return html`pushes <code>${token.scope.refs}</code> of ${token.scope.repo} until ${moment(token.scope.expires)}`
}

const row =
  (csrf: string, now: number) =>
  (token: Token): Html =>
    html`<li class="row token-row${token.revokedAt !== null && ' over'}">
<div><b class="row-title">${visible(token.label)}</b>
<span class="row-note">${status(token, now)} · made ${ago(token.createdAt, now)} · <code class="id">${token.id}</code></span></div>
${
  token.revokedAt === null &&
  html`<details class="row-action"><summary>Revoke…</summary>${dangerForm(
    paths.revoke(token.id),
    csrf,
    {
      question: `Revoke the token “${token.label}”? Whatever uses it stops working at once.`,
      action: 'Revoke token',
    },
    null,
  )}</details>`
}
</li>`

export const tokensPage = ({ viewer, flash, now, tokens, next, created }: TokensData): string =>
  layout({
    title: 'Tokens',
    path: paths.tokens,
    crumbs: [{ text: 'Repositories', href: paths.home }],
    viewer,
    flash,
    main: html`<header class="page-head"><h1>Tokens</h1><p>A token is what git, the command line and this site know you by. Here are those that still work.</p></header>
${
  created !== null &&
  html`<section class="card new-token" role="status"><h2>“${visible(created.label)}” is ready</h2><p>Copy it now: it is not shown again.</p>${copyLine(created.token)}</section>`
}
<section class="card">${postForm(
      paths.tokens,
      viewer.csrf,
      html`<label>New token for <input name="label" required maxlength="200" autocomplete="off" placeholder="laptop"></label><button class="button primary" type="submit">Create token</button>`,
      'form line',
    )}</section>
<ul class="rows">${tokens.map(row(viewer.csrf, now))}</ul>
${nextPage(paths.tokens, next)}`,
  })
