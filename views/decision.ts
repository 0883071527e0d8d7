/** The decision on a proposal: the forms before it, the record after it. */
import type { Decision, TestRun } from '../server/protocol/api.ts'
import type { CommitId, JobId, RepoName } from '../server/protocol/ids.ts'
import { branchOf } from '../server/protocol/refs.ts'
import { shortCommit } from './commit.ts'
import { dangerForm, postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { moment } from './measure.ts'
import { paths } from './paths.ts'
import { visible } from './visible.ts'

export type DecisionTargets = {
  /** A free name for a new branch. */
  readonly suggestion: string
  /** Branches other than the default one that the proposal descends from, by short name, with what is there now. */
  readonly fastForwards: readonly { readonly branch: string; readonly old: CommitId }[]
}

type Subject = {
  readonly repo: RepoName
  readonly job: JobId
  readonly commit: CommitId
  readonly csrf: string
}

const exactly = (commit: CommitId, old: CommitId | null): Html =>
  html`<input type="hidden" name="commit" value="${commit}"><input type="hidden" name="old" value="${old}">`

const approveNew = ({ repo, job, commit, csrf }: Subject, suggestion: string): Html =>
  postForm(
    paths.approve(repo, job),
    csrf,
    html`${exactly(commit, null)}<label>New branch <input name="branch" required maxlength="200" autocomplete="off" spellcheck="false" autocapitalize="none" value="${suggestion}"></label>
<button class="button primary" type="submit">Approve to this branch</button>`,
  )

const approveExisting =
  ({ repo, job, commit, csrf }: Subject) =>
  ({ branch, old }: DecisionTargets['fastForwards'][number]): Html =>
    html`<li>${postForm(
      paths.approve(repo, job),
      csrf,
      html`${exactly(commit, old)}<input type="hidden" name="branch" value="${branch}"><span><code>${visible(branch)}</code> from ${shortCommit(old)}</span> <button class="button small" type="submit">Fast-forward</button>`,
      'form line',
    )}</li>`

const reject = ({ repo, job, commit, csrf }: Subject): Html =>
  postForm(
    paths.reject(repo, job),
    csrf,
    html`<input type="hidden" name="commit" value="${commit}"><label>Reason <textarea name="reason" rows="3" required maxlength="4000" placeholder="What is wrong with it, for those who come after"></textarea></label>
<button class="button" type="submit">Reject</button>`,
  )

/** What the owner can do with a proposal that waits. `runs`: how its tests went. */
export const decisionForms = (
  subject: Subject,
  targets: DecisionTargets,
  runs: readonly TestRun[],
): Html => html`<section class="side decide" id="decide">
<h2>Your decision</h2>
${runs.some(({ result }) => result === 'failed') && html`<p class="problem">Tests failed on this commit.</p>`}
<p>Approving puts exactly this commit on a branch, and merges nothing:</p>
<p><code class="whole-id" tabindex="0">${subject.commit}</code></p>
${approveNew(subject, targets.suggestion)}
${
  targets.fastForwards.length > 0 &&
  html`<details><summary>Or fast-forward a branch</summary><ul class="plain">${targets.fastForwards.map(approveExisting(subject))}</ul></details>`
}
<details><summary>Reject it</summary>${reject(subject)}</details>
</section>`

/** Who decided, when, and what. `by` is the label of the token. */
export const decisionRecord = (decision: Decision, by: string): Html => {
  const when = html`<p class="hint">${visible(by)}, ${moment(decision.at)}</p>`
  const commit = shortCommit(decision.commit)
  switch (decision.verdict) {
    case 'approved':
      return html`<section class="side decided approved" id="decide"><h2>Approved</h2><p>${commit} is on ${decision.branch !== null && html`<code>${visible(branchOf(decision.branch))}</code>`}.</p>${when}</section>`
    case 'rejected':
      return html`<section class="side decided rejected" id="decide"><h2>Rejected</h2><p>${commit}, because:</p><p class="prose">${decision.reason !== null && visible(decision.reason)}</p>${when}</section>`
  }
}

/** Removing what the job pushed. */
export const deleteRefs = (repo: RepoName, job: JobId, csrf: string): Html =>
  html`<details class="section danger-zone"><summary><h2>Delete the refs of this job</h2></summary>
<p>Removes <code>refs/agents/${job}/*</code> with the proposal and its diff. Branches that were approved stay, and so does the audit trail.</p>
${dangerForm(paths.deleteRefs(repo, job), csrf, { question: `Delete every ref of job ${job}? The proposal and its diff go with them.`, action: 'Delete refs' }, null)}</details>`

/** Ending a job at work. */
export const cancelForm = (repo: RepoName, job: JobId, csrf: string): Html =>
  dangerForm(
    paths.cancel(repo, job),
    csrf,
    { question: `Cancel job ${job}? Its agent is shut out at once.`, action: 'Cancel job' },
    null,
  )
