/** What was found out about a proposal, and how far it can be trusted. */
import type { TestRun } from '../server/protocol/api.ts'
import type { CommitId } from '../server/protocol/ids.ts'
import { duration } from './browser/duration.js'
import { shortCommit } from './commit.ts'
import { fileAnchor } from './diff.ts'
import type { Diff } from './file-diff.ts'
import { type Html, html } from './html.ts'
import { visible } from './visible.ts'

/** What makes a file of a diff deserve a second look: a predicate, such as `becomes executable`, of its new path. */
export type AttentionFlag = { readonly text: string; readonly path: string }

const verdict = ({ result, exit }: TestRun, commit: CommitId): Html => {
  switch (result) {
    case 'passed':
      return html`<b>Passed.</b> The base’s command ended 0 on ${shortCommit(commit)}.`
    case 'failed':
      return html`<b>Failed.</b> The base’s command ended ${exit ?? 'without an exit code'} on ${shortCommit(commit)}.`
    case 'not-run':
      return html`<b>Not run.</b>`
  }
}

const subjectOf = ({ against }: TestRun): string => {
  switch (against) {
    case 'proposal':
      return 'The proposal’s tests'
    case 'base-tests':
      return 'The base’s tests on the proposal'
  }
}

const testItem =
  (commit: CommitId) =>
  (run: TestRun): Html =>
    html`<li class="check-${run.result}">
<span class="check-subject">${subjectOf(run)}</span>
<span>${verdict(run, commit)}${run.exit === null && run.why !== null && html` ${visible(run.why)}`}</span>
${run.result !== 'not-run' && html`<span class="hint">${duration(run.ms)}</span>`}
</li>`

const noRun = (live: boolean): Html =>
  live
    ? html`<li>The base’s test command has not ended yet.</li>`
    : html`<li class="check-not-run"><b>Not run.</b> The runner reported no result.</li>`

/** The runs of the base's test command on this commit. `claims` are lines that the proposal's own code printed. */
export const testResults = (
  commit: CommitId,
  runs: readonly TestRun[],
  claims: readonly string[],
  live: boolean,
): Html => html`<section class="side">
<h2>Verified tests</h2>
<ul class="checks">${runs.length > 0 ? runs.map(testItem(commit)) : noRun(live)}</ul>
${
  claims.length > 0 &&
  html`<p class="claim-title">Claimed by the proposal’s own output, not verified:</p><ul class="claims">${claims.map((claim) => html`<li>${visible(claim)}</li>`)}</ul>`
}
</section>`

/** What to look at twice, each with the way to it. */
export const attention = (flags: readonly AttentionFlag[], diff: Diff): Html => {
  const indexes = new Map(diff.files.map((file, index) => [file.newPath, index]))
  const item = ({ text, path }: AttentionFlag): Html => {
    const index = indexes.get(path)
    return index === undefined
      ? html`<li><span class="path">${visible(path)}</span> ${visible(text)}</li>`
      : html`<li><a class="path" href="#${fileAnchor(index)}">${visible(path)}</a> ${visible(text)}</li>`
  }
  return html`<section class="side">
<h2>Look twice</h2>
${flags.length > 0 ? html`<ul class="flags">${flags.map(item)}</ul>` : html`<p class="hint">No file of this diff is of a kind that stands out. Read it all the same.</p>`}
</section>`
}
