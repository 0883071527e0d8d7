/** How a file of a diff is announced: what happened to it, its name, its mode, its counts. */
import type { DiffFile } from './file-diff.ts'
import { type Html, html } from './html.ts'
import { visible } from './visible.ts'

/** The name, or both where it changed. */
export const pathOf = ({ status, oldPath, newPath }: DiffFile): Html => {
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

/** git's letter for the status, with the word at hand. */
export const statusLetter = ({ status }: DiffFile): Html =>
  html`<span class="status-letter ${status}" title="${status}">${letterOf(status)}</span>`

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
export const modeNote = ({ oldMode, newMode }: DiffFile): Html | false => {
  if (oldMode !== null && newMode !== null && oldMode !== newMode)
    return html`<span class="tag attention">${kindOfMode(oldMode)} → ${kindOfMode(newMode)} (${oldMode} → ${newMode})</span>`
  const mode = newMode ?? oldMode
  return mode !== null && mode !== '100644' && html`<span class="tag attention">${kindOfMode(mode)}</span>`
}

/** Lines added and removed. */
export const counts = ({ binary, additions, deletions }: DiffFile): Html | false => {
  if (binary) return html`<span class="counts">binary</span>`
  return (
    additions + deletions > 0 &&
    html`<span class="counts"><span class="plus">+${additions}</span> <span class="minus">−${deletions}</span></span>`
  )
}
