/** The audit log's entries about one job, in words. */
import type { AuditEntry } from '../server/protocol/audit.ts'
import type { TokenId } from '../server/protocol/ids.ts'
import { type Html, html } from './html.ts'
import { moment } from './measure.ts'
import { visible } from './visible.ts'

export type AuditTrail = {
  /** In the order of the log. */
  readonly entries: readonly AuditEntry[]
  /** The hash of the log's last entry, whatever it is about. Null: the log is empty. */
  readonly head: string | null
}

const short = (id: string): string => id.slice(0, 12)
const outcome = (moved: boolean): string => (moved ? 'done' : 'not done')

/** Exhaustive, so that a new kind of entry cannot be left out of the page. */
const actionOf = (entry: AuditEntry): string => {
  switch (entry.type) {
    case 'token-created':
      return `token ${entry.token} made for ${entry.scope?.refs ?? 'everything'}`
    case 'token-revoked':
      return `token ${entry.token} revoked`
    case 'repository-created':
      return `repository ${entry.repo} created`
    case 'repository-delete-intended':
      return `deleting repository ${entry.repo}`
    case 'repository-delete-done':
      return `deleting repository ${entry.repo}: ${outcome(entry.moved)}`
    case 'webhook-created':
      return `webhook ${entry.webhook} to ${entry.host} for ${entry.repo ?? 'every repository'}`
    case 'webhook-deleted':
      return `webhook ${entry.webhook} deleted`
    case 'job-created':
      return `job created on ${entry.base.ref} at ${short(entry.base.commit)}`
    case 'attempt-intended':
      return `attempt ${entry.attempt} handed to the runner`
    case 'container':
      return `${entry.purpose} container ${short(entry.id)} of image ${entry.image.slice(0, 19)}`
    case 'attempt-done':
      return `attempt ${entry.attempt} ended: ${entry.state}${entry.reason === null ? '' : ` (${entry.reason})`}`
    case 'push-intended':
      return `pushing ${entry.updates.map((update) => update.ref).join(', ')}`
    case 'push-done':
      return entry.moved.length === 0
        ? 'push: nothing moved'
        : `pushed ${entry.moved.map(({ ref, commit }) => `${ref} at ${short(commit)}`).join(', ')}`
    case 'approve-intended':
      return `approving ${short(entry.commit)} to ${entry.branch}`
    case 'approve-done':
      return `approval: ${outcome(entry.moved)}`
    case 'rejected':
      return `rejected ${short(entry.commit)}: ${entry.reason}`
    case 'cancel-requested':
      return 'cancellation asked for'
    case 'refs-delete-intended':
      return `deleting ${entry.refs.join(', ')}`
    case 'refs-delete-done':
      return `deleting refs: ${outcome(entry.moved)}`
  }
}

/** The token behind an entry. Null: the forge itself. */
const actorOf = (entry: AuditEntry): TokenId | null => {
  switch (entry.type) {
    case 'job-created':
      return entry.requester
    case 'token-created':
    case 'token-revoked':
    case 'repository-created':
    case 'webhook-created':
    case 'webhook-deleted':
    case 'repository-delete-intended':
    case 'push-intended':
    case 'approve-intended':
    case 'rejected':
    case 'cancel-requested':
    case 'refs-delete-intended':
      return entry.by
    case 'repository-delete-done':
    case 'attempt-intended':
    case 'container':
    case 'attempt-done':
    case 'push-done':
    case 'approve-done':
    case 'refs-delete-done':
      return null
  }
}

const row =
  (labels: ReadonlyMap<TokenId, string>) =>
  (entry: AuditEntry): Html => {
    const actor = actorOf(entry)
    const name =
      actor === null
        ? html`forge`
        : html`<span title="${actor}">${visible(labels.get(actor) ?? actor)}</span>`
    return html`<tr><td class="number">${entry.seq}</td><td>${moment(entry.at)}</td><td class="wide">${visible(actionOf(entry))}</td><td>${name}</td><td><code class="id" title="${entry.hash}">${short(entry.hash)}</code></td></tr>`
  }

/** The hash at the end of the log, for a person to keep. */
export const chainHead = (head: string | null): Html | false =>
  head !== null &&
  html`<p class="chain-head">The chain ends in <code tabindex="0">${head}</code>. Note it down; a later check must find it.</p>`

export const auditTrail = ({ entries, head }: AuditTrail, labels: ReadonlyMap<TokenId, string>): Html =>
  html`<details class="section"><summary><h2>Audit trail</h2> <span class="hint">${entries.length === 1 ? 'one entry' : `${entries.length} entries`}</span></summary>
<div class="scroll" tabindex="0" role="region" aria-label="Audit trail"><table class="table"><thead><tr><th scope="col">No.</th><th scope="col">Time</th><th scope="col">What</th><th scope="col">By</th><th scope="col">Hash</th></tr></thead><tbody>${entries.map(row(labels))}</tbody></table></div>
${chainHead(head)}</details>`
