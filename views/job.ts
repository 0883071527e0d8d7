/** A job's page: live while an agent works, the proposal's page once there is one. */
import type { AgentJob, Attempt } from '../server/protocol/api.ts'
import type { CommitId, JobId, RepoName, TokenId } from '../server/protocol/ids.ts'
import { isActive } from '../server/protocol/jobs.ts'
import { branchOf, type RefName } from '../server/protocol/refs.ts'
import type { JobEvent } from '../server/protocol/runner.ts'
import { type AuditTrail, auditTrail } from './audit-trail.ts'
import { type AttentionFlag, attention, testResults } from './checks.ts'
import { shortCommit } from './commit.ts'
import { cancelForm, type DecisionTargets, decisionForms, decisionRecord, deleteRefs } from './decision.ts'
import { awaitedPush, externalNote } from './external.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { localRunnerNote } from './local-runner.ts'
import { finishedLog, liveLog } from './log.ts'
import { ago } from './measure.ts'
import { paths } from './paths.ts'
import { progressOf, stepList } from './progress.ts'
import { fetchHelp, type Proposal, proposalView } from './proposal.ts'
import { refusedConnections, runFacts, salvagedPatch } from './run-facts.ts'
import { liveStateLines, stateLine } from './state.ts'
import { firstLine } from './task.ts'
import type { Person, Stranger } from './viewer.ts'
import { visible } from './visible.ts'

/** All about a job that only those with the right to it may see. */
export type JobDetails = {
  readonly job: AgentJob
  /** The attempt that the page is about, one of `job.attempts`. */
  readonly attempt: Attempt
  /** That attempt's events in their order. Early `log` events may be left out. */
  readonly events: readonly JobEvent[]
  /** What went wrong or what is awaited, and what to do about it; null where the state says it all. */
  readonly explanation: string | null
  readonly flags: readonly AttentionFlag[]
  /** Lines about tests that the proposal's own code printed. */
  readonly claims: readonly string[]
  readonly targets: DecisionTargets
  readonly audit: AuditTrail
  /** Labels of the tokens that job and audit trail name. */
  readonly labels: ReadonlyMap<TokenId, string>
  /** The runner shares the forge's machine, which is for trying out. */
  readonly localRunner: boolean
}

type Reviewer = Person & { readonly details: JobDetails }

export type JobPageData = {
  /** A stranger has no details; that is what keeps them from the page. */
  readonly viewer: Stranger | Reviewer
  readonly flash: Flash | null
  /** Milliseconds since the epoch: ages are counted from it. */
  readonly now: number
  readonly cloneUrl: string
  readonly repo: RepoName
  readonly job: JobId
  readonly base: { readonly ref: RefName; readonly commit: CommitId }
  /** Null: there is none, or its refs are deleted. */
  readonly proposal: Proposal | null
}

const labelOf = ({ labels }: JobDetails, id: TokenId): string => labels.get(id) ?? id

const refsLine = ({ base, proposal }: JobPageData): Html =>
  html`<p class="refs">From <code>${visible(branchOf(base.ref))}</code> at ${shortCommit(base.commit)}${
    proposal !== null && html`, proposed as ${shortCommit(proposal.commit)}`
  }</p>`

const publicPage = (data: JobPageData): Html => html`<header class="page-head">
<h1>Proposal of job ${data.job}</h1>
${refsLine(data)}
</header>
${data.proposal === null ? html`<p class="empty">There is no proposal to see.</p>` : html`${proposalView(data.proposal)}${fetchHelp(data.proposal, data.cloneUrl)}`}`

const head = (data: JobPageData, { details, csrf }: Reviewer): Html => {
  const { job, attempt, explanation } = details
  const live = isActive(job.state)
  return html`<header class="page-head with-action"><div>
<p class="eyebrow">Job ${job.id}${attempt.number > 1 && html`, attempt ${attempt.number}`} · ${visible(labelOf(details, job.requester))} · ${ago(job.createdAt, data.now)}</p>
<h1>${visible(firstLine(job.task))}</h1>
<p class="state" role="status">${live ? liveStateLines(job.state, explanation) : stateLine(job.state, explanation)}</p>
${refsLine(data)}
${job.state === 'proposed' && data.proposal !== null && html`<p class="jump"><a class="button small" href="#decide">Checks and decision</a></p>`}
</div>${live && cancelForm(data.repo, job.id, csrf)}</header>`
}

const taskView = ({ job }: JobDetails): Html | false =>
  job.task.trim() !== firstLine(job.task) &&
  html`<section class="section"><h2>Task</h2><pre class="task" tabindex="0">${visible(job.task)}</pre></section>`

const decisionPart = ({ repo, proposal }: JobPageData, { details, csrf }: Reviewer): Html | false => {
  const { job, attempt, targets } = details
  if (job.decision !== null) return decisionRecord(job.decision, labelOf(details, job.decision.by))
  if (job.state !== 'proposed' || proposal === null) return false
  return decisionForms({ repo, job: job.id, commit: proposal.commit, csrf }, targets, attempt.tests)
}

const review = (data: JobPageData, commit: CommitId, viewer: Reviewer): Html => {
  const { job, attempt, claims, flags, events } = viewer.details
  return html`<aside class="aside" aria-label="Review">
${testResults(commit, attempt.tests, claims, isActive(job.state))}
${data.proposal !== null && attention(flags, data.proposal.diff)}
${refusedConnections(events)}
${decisionPart(data, viewer)}
</aside>`
}

/** What is known of the work itself: before the outcome, and after it. */
const workOf = (repo: RepoName, { job, attempt, events }: JobDetails): { before: Html; after: Html } => {
  const live = isActive(job.state)
  switch (job.agent.kind) {
    case 'command':
      return {
        before: html`${stepList(progressOf(events, live))}
${salvagedPatch(repo, job.id, attempt)}
${live && liveLog(repo, job.id, attempt.number, events)}`,
        after: html`${!live && finishedLog(events, job.state === 'failed')}
${runFacts(attempt)}`,
      }
    case 'external':
      return { before: html`${externalNote}${live && awaitedPush(repo, job.id)}`, after: html`` }
  }
}

const deletedNote = html`<p class="empty">The refs of this job are deleted, and its diff with them. What is on record stays.</p>`

const outcome = (data: JobPageData, viewer: Reviewer): Html => {
  const { proposal, cloneUrl } = data
  const { details } = viewer
  const commit = proposal?.commit ?? details.job.proposal?.commit
  if (commit === undefined) return html`${taskView(details)}${refusedConnections(details.events)}`
  return html`<div class="columns"><div class="column">${taskView(details)}${proposal === null ? deletedNote : proposalView(proposal)}</div>${review(data, commit, viewer)}</div>
${proposal !== null && fetchHelp(proposal, cloneUrl)}`
}

const personPage = (data: JobPageData, viewer: Reviewer): Html => {
  const { repo, proposal } = data
  const { details, csrf } = viewer
  const { job, localRunner } = details
  const { before, after } = workOf(repo, details)
  return html`${head(data, viewer)}
${before}
${outcome(data, viewer)}
${after}
${auditTrail(details.audit, details.labels)}
${!isActive(job.state) && proposal !== null && deleteRefs(repo, job.id, csrf)}
${localRunner && job.agent.kind !== 'external' && localRunnerNote}`
}

export const jobPage = (data: JobPageData): string => {
  const { viewer, repo, job, flash } = data
  const crumbs = [
    { text: 'Repositories', href: paths.home },
    { text: repo, href: paths.repo(repo) },
  ]
  const path = paths.job(repo, job)
  switch (viewer.kind) {
    case 'stranger':
      return layout({ title: `Proposal of job ${job}`, path, crumbs, viewer, flash, main: publicPage(data) })
    case 'person':
      return layout({
        title: `${firstLine(viewer.details.job.task)} · job ${job}`,
        path,
        crumbs: [...crumbs, { text: 'Jobs', href: paths.jobs(repo) }],
        viewer,
        flash,
        main: personPage(data, viewer),
      })
  }
}
