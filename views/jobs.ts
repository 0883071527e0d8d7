/** A repository's jobs, and the form that starts one. */
import type { Iso, JobId, RepoName } from '../server/protocol/ids.ts'
import type { AgentKind, JobState } from '../server/protocol/jobs.ts'
import { postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { localRunnerNote } from './local-runner.ts'
import { ago } from './measure.ts'
import { nextPage } from './pagination.ts'
import { paths } from './paths.ts'
import { badge } from './state.ts'
import { firstLine } from './task.ts'
import type { Person } from './viewer.ts'
import { visible } from './visible.ts'

export type JobRow = {
  readonly id: JobId
  readonly state: JobState
  readonly task: string
  readonly createdAt: Iso
  /** Label of the requester's token. */
  readonly requester: string
}

export type JobsData = {
  readonly viewer: Person
  readonly flash: Flash | null
  /** Milliseconds since the epoch: ages are counted from it. */
  readonly now: number
  readonly repo: RepoName
  /** Short names, the default branch first. None: the repository is empty. */
  readonly branches: readonly string[]
  readonly jobs: readonly JobRow[]
  readonly next: string | null
  /** The runner shares the forge's machine, which is for trying out. */
  readonly localRunner: boolean
  /** A task that was refused, to be put right. */
  readonly draft: {
    readonly agent: AgentKind
    readonly task: string
    readonly base: string
    readonly problem: string
  } | null
}

const row =
  (repo: RepoName, now: number) =>
  (job: JobRow): Html =>
    html`<li class="row job-row">
${badge(job.state)}
<a class="row-title" href="${paths.job(repo, job.id)}">${visible(firstLine(job.task))}</a>
<span class="row-note">job ${job.id} · ${visible(job.requester)} · ${ago(job.createdAt, now)}</span>
</li>`

const option = (value: string, text: string, chosen: string | undefined): Html =>
  value === chosen
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`

const newJob = ({ viewer, repo, branches, draft }: JobsData): Html => html`<section class="card" id="new-job">
<h2>New job</h2>
${postForm(
  paths.jobs(repo),
  viewer.csrf,
  html`<label>Task <textarea name="task" rows="4" required maxlength="65536" spellcheck="false" placeholder="npx prettier --write ." aria-describedby="task-help">${draft && `\n${draft.task}`}</textarea></label>
<p class="${draft ? 'problem' : 'hint'}" id="task-help">${draft ? visible(draft.problem) : 'For the sandbox, a shell command: it reaches this forge and nothing else, and what it changes becomes a proposal. For an agent elsewhere, whatever it understands: you get a token with which it pushes its proposal.'}</p>
<div class="line"><label>Work is done by <select name="agent">${option('command', 'a command in a sandbox', draft?.agent)}${option('external', 'an agent elsewhere', draft?.agent)}</select></label>
<label>Start from <select name="base">${branches.map((branch) => option(branch, branch, draft?.base))}</select></label>
<button class="button primary" type="submit">Start job</button></div>`,
)}
</section>`

export const jobsPage = (data: JobsData): string => {
  const { viewer, flash, now, repo, branches, jobs, next, localRunner } = data
  return layout({
    title: `Jobs · ${repo}`,
    path: paths.jobs(repo),
    crumbs: [
      { text: 'Repositories', href: paths.home },
      { text: repo, href: paths.repo(repo) },
    ],
    viewer,
    flash,
    main: html`<header class="page-head"><h1>Agent jobs</h1></header>
${localRunner && localRunnerNote}
${
  branches.length > 0
    ? newJob(data)
    : html`<p class="empty">A job starts from a commit, and this repository has none. <a href="${paths.repo(repo)}">Push one first.</a></p>`
}
${
  jobs.length > 0
    ? html`<ul class="rows">${jobs.map(row(repo, now))}</ul>`
    : branches.length > 0 &&
      html`<p class="empty">No job yet. The first one appears here as soon as it is started.</p>`
}
${nextPage(paths.jobs(repo), next)}`,
  })
}
