/** Object ids as they stand in a page. */
import type { CommitId } from '../server/protocol/ids.ts'
import { type Html, html } from './html.ts'

/** The first twelve digits; the whole id is the title. */
export const shortCommit = (id: CommitId): Html =>
  html`<code class="id" title="${id}">${id.slice(0, 12)}</code>`
