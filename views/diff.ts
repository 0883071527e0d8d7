/** A diff as tables of rows. */
import type { Diff, DiffFile, DiffHunk, DiffLine } from './file-diff.ts'
import { counts, modeNote, pathOf, statusLetter } from './file-heading.ts'
import { type Html, html } from './html.ts'
import { count } from './measure.ts'
import { visible } from './visible.ts'

/** Files with more rows than this start folded, so that a page of any size opens quickly. */
const openRows = 800

const noNewlineMark = html`<span class="no-newline" title="No line feed at the end of the file">no newline</span>`

const row = ({ kind, text, noNewline }: DiffLine, before: number, after: number): Html => {
  const mark = noNewline === true && noNewlineMark
  switch (kind) {
    case ' ':
      return html`<tr><td data-n="${before}"></td><td data-n="${after}"></td><td>${visible(text)}${mark}</td></tr>\n`
    case '-':
      return html`<tr class="del"><td data-n="${before}"></td><td></td><td>${visible(text)}${mark}</td></tr>\n`
    case '+':
      return html`<tr class="add"><td></td><td data-n="${after}"></td><td>${visible(text)}${mark}</td></tr>\n`
  }
}

const rows = ({ oldStart, newStart, lines }: DiffHunk): Html[] => {
  let before = oldStart
  let after = newStart
  return lines.map((line) => {
    const made = row(line, before, after)
    if (line.kind !== '+') before += 1
    if (line.kind !== '-') after += 1
    return made
  })
}

const hunk = (part: DiffHunk): Html => html`<tbody>
<tr class="hunk"><td colspan="2"></td><td>Line ${part.newStart}${part.header !== '' && html` · ${visible(part.header)}`}</td></tr>
${rows(part)}</tbody>`

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

const body = (file: DiffFile): Html => {
  if (file.binary) return html`<p class="diff-note">A binary file. Fetch the proposal to see it.</p>`
  if (file.hunks.length === 0 && file.truncated === null)
    return html`<p class="diff-note">No line of it changed.</p>`
  return html`${file.truncated !== null && html`<p class="diff-note attention">${visible(file.truncated)}</p>`}${
    file.hunks.length > 0 &&
    html`<div class="scroll" tabindex="0" role="region" aria-label="Changes of ${file.newPath}"><table class="diff"><colgroup><col class="line-number"><col class="line-number"><col></colgroup>${file.hunks.map(hunk)}</table></div>`
  }`
}

/** The anchor of the n-th file. */
export const fileAnchor = (index: number): string => `file-${index + 1}`

const rowCount = ({ hunks }: DiffFile): number => sum(hunks.map(({ lines }) => lines.length))

const fileDetails = (file: DiffFile, index: number): Html => {
  const head = html`<summary>${statusLetter(file)} <span class="path">${pathOf(file)}</span> ${modeNote(file)} ${counts(file)}</summary>`
  return rowCount(file) > openRows
    ? html`<details class="file" id="${fileAnchor(index)}">${head}${body(file)}</details>\n`
    : html`<details class="file" id="${fileAnchor(index)}" open>${head}${body(file)}</details>\n`
}

const fileLink = (file: DiffFile, index: number): Html =>
  html`<li>${statusLetter(file)} <a class="path" href="#${fileAnchor(index)}">${pathOf(file)}</a> ${counts(file)}</li>`

export const diffView = ({ files, truncated }: Diff): Html => html`<section class="section" id="changes">
<div class="section-head"><h2>Changes</h2><span class="hint">${count(files.length, 'file')}, <span class="plus">+${sum(files.map((file) => file.additions))}</span> <span class="minus">−${sum(files.map((file) => file.deletions))}</span></span></div>
${truncated !== null && html`<p class="diff-note attention">${visible(truncated)}</p>`}
${files.length > 1 && html`<ul class="file-list">${files.map(fileLink)}</ul>`}
${files.map(fileDetails)}
</section>`
