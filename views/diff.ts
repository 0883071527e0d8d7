/** A diff as tables of rows. Git's words for what happened to a file; every text in it is hostile. */
import { type Html, html } from './html.ts'
import { count } from './measure.ts'
import { visible } from './visible.ts'

export type DiffLine = {
  readonly kind: ' ' | '+' | '-'
  readonly text: string
  /** The file ends here without a line feed. */
  readonly noNewline?: boolean
}

export type DiffHunk = {
  /** What git prints after the second `@@`: the function or heading around it. */
  readonly header: string
  readonly oldStart: number
  readonly newStart: number
  readonly lines: readonly DiffLine[]
}

export type DiffFile = {
  readonly oldPath: string
  readonly newPath: string
  readonly status: 'added' | 'removed' | 'modified' | 'renamed' | 'copied' | 'type-changed'
  /** Six octal digits. Null: there was no such file. */
  readonly oldMode: string | null
  readonly newMode: string | null
  readonly binary: boolean
  readonly additions: number
  readonly deletions: number
  readonly hunks: readonly DiffHunk[]
  /** Why the hunks are not all there, as a sentence. */
  readonly truncated: string | null
}

export type Diff = {
  readonly files: readonly DiffFile[]
  /** Why files are missing, as a sentence. */
  readonly truncated: string | null
}

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

const nameOf = ({ status, oldPath, newPath }: DiffFile): Html => {
  switch (status) {
    case 'added':
    case 'modified':
    case 'type-changed':
      return html`<bdi>${visible(newPath)}</bdi>`
    case 'removed':
      return html`<bdi>${visible(oldPath)}</bdi>`
    case 'renamed':
    case 'copied':
      return html`<bdi>${visible(oldPath)}</bdi> <span class="arrow">→</span> <bdi>${visible(newPath)}</bdi>`
  }
}

const letterOf = (status: DiffFile['status']): string => {
  switch (status) {
    case 'added':
      return 'A'
    case 'removed':
      return 'D'
    case 'modified':
      return 'M'
    case 'renamed':
      return 'R'
    case 'copied':
      return 'C'
    case 'type-changed':
      return 'T'
  }
}

const kindOfMode = (mode: string): string => {
  switch (mode) {
    case '100644':
      return 'file'
    case '100755':
      return 'executable'
    case '120000':
      return 'symbolic link'
    case '160000':
      return 'submodule'
    default:
      return 'unusual'
  }
}

/** What a mode says that a reviewer must not miss: anything but a plain file, and any change. */
const modeNote = ({ oldMode, newMode }: DiffFile): Html | false => {
  if (oldMode !== null && newMode !== null && oldMode !== newMode)
    return html`<span class="tag attention">${kindOfMode(oldMode)} → ${kindOfMode(newMode)} (${oldMode} → ${newMode})</span>`
  const mode = newMode ?? oldMode
  return mode !== null && mode !== '100644' && html`<span class="tag attention">${kindOfMode(mode)}</span>`
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0)

const counts = ({ binary, additions, deletions }: DiffFile): Html | false => {
  if (binary) return html`<span class="counts">binary</span>`
  return (
    additions + deletions > 0 &&
    html`<span class="counts"><span class="plus">+${additions}</span> <span class="minus">−${deletions}</span></span>`
  )
}

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
  const head = html`<summary><span class="status-letter ${file.status}" title="${file.status}">${letterOf(file.status)}</span> <span class="path">${nameOf(file)}</span> ${modeNote(file)} ${counts(file)}</summary>`
  return rowCount(file) > openRows
    ? html`<details class="file" id="${fileAnchor(index)}">${head}${body(file)}</details>\n`
    : html`<details class="file" id="${fileAnchor(index)}" open>${head}${body(file)}</details>\n`
}

const fileLink = (file: DiffFile, index: number): Html =>
  html`<li><span class="status-letter ${file.status}" title="${file.status}">${letterOf(file.status)}</span> <a class="path" href="#${fileAnchor(index)}">${nameOf(file)}</a> ${counts(file)}</li>`

export const diffView = ({ files, truncated }: Diff): Html => html`<section class="section" id="changes">
<div class="section-head"><h2>Changes</h2><span class="hint">${count(files.length, 'file')}, <span class="plus">+${sum(files.map((file) => file.additions))}</span> <span class="minus">−${sum(files.map((file) => file.deletions))}</span></span></div>
${truncated !== null && html`<p class="diff-note attention">${visible(truncated)}</p>`}
${files.length > 1 && html`<ul class="file-list">${files.map(fileLink)}</ul>`}
${files.map(fileDetails)}
</section>`
