/** All repositories: the first page one sees. */
import type { Repo } from '../server/protocol/api.ts'
import { branchOf } from '../server/protocol/refs.ts'
import { postForm } from './form.ts'
import { type Html, html } from './html.ts'
import { type Flash, layout } from './layout.ts'
import { nextPage } from './pagination.ts'
import { paths } from './paths.ts'
import type { Viewer } from './viewer.ts'
import { visible } from './visible.ts'

export type RepositoriesData = {
  readonly viewer: Viewer
  readonly flash: Flash | null
  readonly repos: readonly Repo[]
  /** What goes into `?after=` for the following page. */
  readonly next: string | null
  /** A name that was refused, to be put right. */
  readonly draft: { readonly name: string; readonly problem: string } | null
}

const row = (repo: Repo): Html => html`<li class="row">
<a class="row-title name" href="${paths.repo(repo.name)}">${repo.name}</a>
<span class="row-note">${
  repo.refused !== null
    ? html`<span class="badge state-failed">Not served</span>`
    : repo.empty
      ? 'Empty, waiting for a first push'
      : repo.defaultBranch !== null && html`<code>${visible(branchOf(repo.defaultBranch))}</code>`
}</span>
</li>`

const createForm = (csrf: string, draft: RepositoriesData['draft']): Html =>
  postForm(
    paths.repos,
    csrf,
    html`<label>New repository <input name="name" required maxlength="100" pattern="[A-Za-z0-9][A-Za-z0-9._\\-]*" autocomplete="off" spellcheck="false" autocapitalize="none" placeholder="name" value="${draft?.name}" aria-describedby="name-help"></label>
<button class="button primary" type="submit">Create</button>
<p class="${draft ? 'problem' : 'hint'}" id="name-help">${draft ? visible(draft.problem) : 'Letters, digits, dots, dashes and underscores.'}</p>`,
    'form line',
  )

const emptyState = (viewer: Viewer): Html => html`<div class="empty">
<h2>No repository yet</h2>
<p>A repository is where people push and where agents propose. Each agent works in a sealed sandbox, and what it makes arrives as a proposal that you read before anything moves.</p>
${
  viewer.kind === 'person'
    ? html`<ol><li>Give it a name below.</li><li>Push your code with <code>git push</code>; the next page has the commands.</li><li>Give an agent its first task.</li></ol>`
    : html`<p><a class="button primary" href="${paths.signInFrom(paths.home)}">Sign in to create one</a></p>`
}
</div>`

export const repositoriesPage = ({ viewer, flash, repos, next, draft }: RepositoriesData): string =>
  layout({
    title: 'Repositories',
    path: paths.home,
    crumbs: [],
    viewer,
    flash,
    main: html`<header class="page-head"><h1>Repositories</h1></header>
${repos.length === 0 ? emptyState(viewer) : html`<ul class="rows">${repos.map(row)}</ul>`}
${nextPage(paths.home, next)}
${viewer.kind === 'person' && html`<section class="card">${createForm(viewer.csrf, draft)}</section>`}`,
  })
