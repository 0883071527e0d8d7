/** Object ids and branch names as they stand in a page. */
import type { CommitId } from '../server/protocol/ids.ts'
import type { RefName } from '../server/protocol/refs.ts'
import { type Html, html } from './html.ts'

/** The first twelve digits; the whole id is the title. */
export const shortCommit = (id: CommitId): Html =>
  html`<code class="id" title="${id}">${id.slice(0, 12)}</code>`

/** A branch as people write it. */
export const branchOf = (ref: RefName): string => ref.replace(/^refs\/heads\//, '')
