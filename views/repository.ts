/** One repository: how to get it, its branches, what agents have proposed. */
import type { Repo } from '../server/protocol/api.ts'
import type { CommitId, JobId } from '../server/protocol/ids.ts'
import type { JobState } from '../server/protocol/jobs.ts'
import { branchOf, type RefName } from '../server/protocol/refs.ts'
import { shellWord } from '../server/protocol/shell-word.ts'
import { shortCommit } from './commit.ts'
import { copyBlock, copyLine } from './copy.ts'
import { dangerForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { paths } from './paths.ts'
import { badge } from './state.ts'
import { firstLine } from './task.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'

type ProposalRow = {
  readonly job: JobId
  readonly commit: CommitId
  /** For people who may know of it; null for strangers. */
  readonly about: { readonly task: string; readonly state: JobState } | null
}

export type RepositoryData = {
  readonly viewer: Viewer
  readonly flash: Flash | null
  readonly repo: Repo
  readonly branches: readonly { readonly ref: RefName; readonly commit: CommitId }[]
  /** Jobs whose `refs/agents/<job>/proposal` exists, newest first. */
  readonly proposals: readonly ProposalRow[]
}

const emptyState = (repo: Repo): Html => {
  const branch = shellWord(repo.defaultBranch === null ? 'main' : branchOf(repo.defaultBranch))
  return html`<section class="empty">
<h2>Nothing has been pushed yet</h2>
<p>From a repository that you have already:</p>
${copyBlock(`git remote add forge ${repo.cloneUrl}\ngit push -u forge HEAD:${branch}`)}
<p>Or from nothing:</p>
${copyBlock(`git clone ${repo.cloneUrl}\ncd ${repo.name}\ngit commit --allow-empty -m "Begin"\ngit push -u origin HEAD:${branch}`)}
<p class="hint">git asks for a user name, which may be anything, and a password, which is your token.</p>
</section>`
}

const branchRow =
  (repo: Repo) =>
  (branch: RepositoryData['branches'][number]): Html =>
    html`<li class="row"><span class="row-title"><code>${visible(branchOf(branch.ref))}</code>${branch.ref === repo.defaultBranch && html` <span class="tag">default</span>`}</span><span class="row-note">${shortCommit(branch.commit)}</span></li>`

const proposalRow =
  (repo: Repo) =>
  ({ job, commit, about }: ProposalRow): Html =>
    about === null
      ? html`<li class="row"><a class="row-title" href="${paths.job(repo.name, job)}">Proposal of job ${job}</a><span class="row-note">${shortCommit(commit)}</span></li>`
      : html`<li class="row job-row">${badge(about.state)}<a class="row-title" href="${paths.job(repo.name, job)}">${visible(firstLine(about.task))}</a><span class="row-note">job ${job} · ${shortCommit(commit)}</span></li>`

const danger = (repo: Repo, csrf: string): Html => html`<details class="section danger-zone">
<summary><h2>Delete this repository</h2></summary>
<p>Branches, proposals and their diffs go, for everybody. The audit log keeps what happened.</p>
${dangerForm(
  paths.deleteRepo(repo.name),
  csrf,
  { question: `Delete the repository ${repo.name} and everything in it?`, action: 'Delete repository' },
  html`<label>Type <b>${repo.name}</b> to go on <input name="confirm" required pattern="${repo.name.replaceAll('.', '\\.')}" autocomplete="off" spellcheck="false" autocapitalize="none"></label>`,
)}
</details>`

export const repositoryPage = ({ viewer, flash, repo, branches, proposals }: RepositoryData): string =>
  layout({
    title: repo.name,
    path: paths.repo(repo.name),
    crumbs: [{ text: 'Repositories', href: paths.home }],
    viewer,
    flash,
    main: html`<header class="page-head with-action"><h1>${repo.name}</h1>${
      viewer.kind === 'person' &&
      html`<p class="line"><a class="button" href="${paths.webhooks(repo.name)}">Webhooks</a><a class="button ${repo.empty || repo.refused !== null ? '' : 'primary'}" href="${paths.jobs(repo.name)}">Agent jobs</a></p>`
    }</header>
${repo.refused !== null && html`<p class="flash bad" role="alert"><b>This repository is not served.</b> ${visible(repo.refused)}</p>`}
${repo.refused === null && html`<section><h2 class="label">Clone</h2>${copyLine(repo.cloneUrl)}</section>`}
${repo.empty && repo.refused === null && emptyState(repo)}
${branches.length > 0 && html`<section class="section"><h2>Branches</h2><ul class="rows">${branches.map(branchRow(repo))}</ul></section>`}
${proposals.length > 0 && html`<section class="section"><h2>Proposals by agents</h2><ul class="rows">${proposals.map(proposalRow(repo))}</ul></section>`}
${viewer.kind === 'person' && danger(repo, viewer.csrf)}`,
  })
