/** The audit: a record of every job. */
import type { JobRecord } from '../server/protocol/api.ts'
import type { TokenId } from '../server/protocol/ids.ts'
import { chainHead } from './audit-trail.ts'
import { shortCommit } from './commit.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { count, moment } from './measure.ts'
import { nextPage } from './pagination.ts'
import { paths } from './paths.ts'
import { firstLine } from './task.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'

export type AuditData = {
  readonly viewer: Person
  readonly flash: Flash | null
  /** Newest first. */
  readonly records: readonly JobRecord[]
  readonly next: string | null
  /** Labels of the tokens that the records name. */
  readonly labels: ReadonlyMap<TokenId, string>
  /** The hash at the end of the chain. Null: nothing has happened yet. */
  readonly head: string | null
}

const who = (id: TokenId | null, labels: AuditData['labels']): Html =>
  id === null ? html`–` : html`<span title="${id}">${visible(labels.get(id) ?? id)}</span>`

const model = ({ provider, model, tokenSpend }: JobRecord): Html => {
  if (provider === null) return html`–`
  return html`${visible(`${provider} ${model ?? ''}`)}${tokenSpend !== null && html`<div class="hint">${count(tokenSpend, 'token')}</div>`}`
}

const period = ({ start, end }: JobRecord): Html =>
  start === null
    ? html`–`
    : html`<div>${moment(start)}</div>${end !== null && html`<div>${moment(end)}</div>`}`

const row =
  (labels: AuditData['labels']) =>
  (record: JobRecord): Html =>
    html`<tr>
<th scope="row"><a href="${paths.job(record.repo, record.job)}">job ${record.job}</a><div class="hint">${record.repo}</div></th>
<td class="wide">${visible(firstLine(record.task))}</td>
<td>${who(record.requester, labels)}</td>
<td>${period(record)}</td>
<td>${record.exitReason === null ? '–' : visible(record.exitReason)}</td>
<td>${record.decision === null ? '–' : html`${record.decision} by ${who(record.approver, labels)}`}</td>
<td>${record.refsWritten.length === 0 ? '–' : record.refsWritten.map(({ ref, commit }) => html`<div><code>${visible(ref)}</code></div><div>${shortCommit(commit)}</div>`)}</td>
<td>${record.containers.length === 0 ? '–' : record.containers.map((id) => html`<div><code class="id" title="${id}">${id.slice(0, 12)}</code></div>`)}</td>
<td>${model(record)}</td>
</tr>`

const columns = [
  'Job',
  'Task',
  'Requested by',
  'Start and end',
  'Ended as',
  'Decision',
  'Refs written',
  'Containers',
  'Model',
]

export const auditPage = ({ viewer, flash, records, next, labels, head }: AuditData): string =>
  layout({
    title: 'Audit',
    path: paths.audit,
    crumbs: [{ text: 'Repositories', href: paths.home }],
    viewer,
    flash,
    main: html`<header class="page-head"><h1>Audit</h1><p>One record a job, from a log that only grows. Each entry holds the hash of the one before, so what was written cannot be changed unseen.</p></header>
${chainHead(head)}
${
  records.length === 0
    ? html`<p class="empty">No job has run yet.</p>`
    : html`<div class="scroll" tabindex="0" role="region" aria-label="Job records"><table class="table"><thead><tr>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr></thead><tbody>${records.map(row(labels))}</tbody></table></div>`
}
${nextPage(paths.audit, next)}`,
  })
