/** The commits of a proposal, oldest first. */
import type { CommitId } from '../server/protocol/ids.ts'
import { shortCommit } from './commit.ts'
import { type Html, html } from './html.ts'
import { visible } from './visible.ts'

export type CommitSummary = {
  readonly id: CommitId
  readonly subject: string
  readonly author: string
}

export const commitList = (commits: readonly CommitSummary[]): Html => html`<section class="section">
<h2>Commits</h2>
<ul class="rows">${commits.map(
  ({ id, subject, author }) =>
    html`<li class="row"><span class="row-title">${subject === '' ? html`<i>no message</i>` : visible(subject)}</span><span class="row-note">${visible(author)} · ${shortCommit(id)}</span></li>`,
)}</ul>
</section>`
