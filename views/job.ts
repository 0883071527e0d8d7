/** A job's page: live while an agent works, the proposal's page once there is one. */
import type { AgentJob, Attempt } from '../server/protocol/api.ts'
import type { CommitId, JobId, RepoName, TokenId } from '../server/protocol/ids.ts'
import type { RefName } from '../server/protocol/refs.ts'
import type { JobEvent } from '../server/protocol/runner.ts'
import { type AuditTrail, auditTrail } from './audit-trail.ts'
import { type AttentionFlag, attention, testResults } from './checks.ts'
import { branchOf, shortCommit } from './commit.ts'
import { type CommitSummary, commitList } from './commits.ts'
import { copyLine } from './copy.ts'
import { cancelForm, type DecisionTargets, decisionForms, decisionRecord, deleteRefs } from './decision.ts'
import { type Diff, diffView } from './diff.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { finishedLog, liveLog } from './log.ts'
import { ago } from './measure.ts'
import { paths } from './paths.ts'
import { progressOf, stepList } from './progress.ts'
import { runFacts } from './run-facts.ts'
import { isLive, liveStateLines, stateLine } from './state.ts'
import { firstLine } from './task.ts'
import type { Person, Stranger } from './viewer.ts'
import { visible } from './visible.ts'

/** A proposal as git has it: public like all that can be fetched. */
export type Proposal = {
  readonly commit: CommitId
  /** What to fetch: the revision's own ref, which never moves. */
  readonly ref: RefName
  readonly commits: readonly CommitSummary[]
  readonly diff: Diff
}

/** All else about a job, for those with the right to it. */
export type JobDetails = {
  readonly job: AgentJob
  /** The attempt that the page is about, one of `job.attempts`. */
  readonly attempt: Attempt
  /** That attempt's events in their order. Early `log` events may be left out. */
  readonly events: readonly JobEvent[]
  /** What went wrong and what to do, where something did. */
  readonly explanation: string | null
  readonly flags: readonly AttentionFlag[]
  /** Lines about tests that the proposal's own code printed. */
  readonly claims: readonly string[]
  readonly targets: DecisionTargets
  readonly audit: AuditTrail
  /** Labels of the tokens that job and audit trail name. */
  readonly labels: ReadonlyMap<TokenId, string>
  /** The agent ran elsewhere: the forge did not watch it. */
  readonly external: boolean
}

export type JobPageData = {
  /** A stranger has no details; that is all that keeps them from the page. */
  readonly viewer: Stranger | (Person & { readonly details: JobDetails })
  readonly flash: Flash | null
  readonly now: number
  readonly cloneUrl: string
  readonly repo: RepoName
  readonly job: JobId
  readonly base: { readonly ref: RefName; readonly commit: CommitId }
  readonly proposal: Proposal | null
}

const label = (labels: ReadonlyMap<TokenId, string>, id: TokenId): string => labels.get(id) ?? id

const baseLine = ({ base, proposal }: JobPageData): Html =>
  html`<p class="refs">From <code>${visible(branchOf(base.ref))}</code> at ${shortCommit(base.commit)}${proposal !== null && html`, proposed as ${shortCommit(proposal.commit)}`}</p>`

const fetchHelp = ({ cloneUrl }: JobPageData, { ref, commit }: Proposal): Html =>
  html`<details class="section"><summary><h2>Fetch it</h2></summary>${copyLine(`git fetch ${cloneUrl} ${ref} && git switch --detach ${commit}`)}</details>`

const proposalMain = (data: JobPageData, proposal: Proposal): Html =>
  html`${commitList(proposal.commits)}${diffView(proposal.diff)}${fetchHelp(data, proposal)}`

const strangerPage = (data: JobPageData): Html => html`<header class="page-head">
<h1>Proposal of job ${data.job}</h1>
${baseLine(data)}
</header>
${data.proposal === null ? html`<p class="empty">There is no proposal to see.</p>` : proposalMain(data, data.proposal)}`

const head = (
  data: JobPageData,
  { job, attempt, explanation, labels }: JobDetails,
): Html => html`<header class="page-head">
<p class="eyebrow">Job ${job.id} · ${visible(label(labels, job.requester))} · ${ago(job.createdAt, data.now)}${attempt.number > 1 && html` · attempt ${attempt.number}`}</p>
<h1>${visible(firstLine(job.task))}</h1>
<p class="state" role="status">${isLive(job.state) ? liveStateLines(job.state) : stateLine(job.state, explanation)}</p>
${baseLine(data)}
${job.state === 'proposed' && html`<p class="jump"><a class="button small" href="#decide">Decide</a></p>`}
</header>`

const taskView = ({ job, external }: JobDetails): Html => html`<section class="section">
<h2>Task</h2>
<pre class="task" tabindex="0">${visible(job.task)}</pre>
${external && html`<p class="note">An agent outside this forge made this. The forge did not watch it work, so there is no log, and nothing says what it could reach.</p>`}
</section>`

const steps = ({ job, events }: JobDetails): Html => stepList(progressOf(events, isLive(job.state)))

const aside = (data: JobPageData, details: JobDetails, csrf: string): Html => {
  const { proposal, repo } = data
  const { job, attempt, events } = details
  return html`<aside class="aside" aria-label="Review">
${proposal !== null && html`${testResults(proposal.commit, attempt.tests, details.claims)}${attention(details.flags, proposal.diff)}`}
${
  job.decision !== null
    ? decisionRecord(job.decision, label(details.labels, job.decision.by))
    : job.state === 'proposed' &&
      proposal !== null &&
      decisionForms({ repo, job: job.id, commit: proposal.commit, csrf }, details.targets)
}
${runFacts(repo, job.id, attempt, events)}
</aside>`
}

const personPage = (data: JobPageData, details: JobDetails, csrf: string): Html => {
  const { repo, proposal } = data
  const { job, attempt, events } = details
  const live = isLive(job.state)
  return html`${head(data, details)}
${!details.external && steps(details)}
<div class="columns"><div class="column">
${taskView(details)}
${live && liveLog(repo, job.id, attempt.number, events)}
${proposal !== null && proposalMain(data, proposal)}
${!live && !details.external && finishedLog(events, job.state === 'failed')}
${auditTrail(details.audit, details.labels)}
${live ? cancelForm(repo, job.id, csrf) : proposal !== null && deleteRefs(repo, job.id, csrf)}
</div>
${aside(data, details, csrf)}
</div>`
}

const titleOf = ({ viewer, job }: JobPageData): string => {
  switch (viewer.kind) {
    case 'stranger':
      return `Proposal of job ${job}`
    case 'person':
      return `${firstLine(viewer.details.job.task)} · job ${job}`
  }
}

export const jobPage = (data: JobPageData): string => {
  const { viewer, repo, job } = data
  const up = [
    { text: 'Repositories', href: paths.home },
    { text: repo, href: paths.repo(repo) },
  ]
  return layout({
    title: titleOf(data),
    path: paths.job(repo, job),
    crumbs: viewer.kind === 'person' ? [...up, { text: 'Jobs', href: paths.jobs(repo) }] : up,
    viewer,
    flash: data.flash,
    main: viewer.kind === 'person' ? personPage(data, viewer.details, viewer.csrf) : strangerPage(data),
  })
}
