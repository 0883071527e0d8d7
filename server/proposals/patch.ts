/** `git diff-tree -p`, parsed into the hunks of each file. Pure. The counts in a hunk's head, not its text, end it. */
import type { DiffHunk, DiffLine } from '../../views/file-diff.ts'

const hunkHead = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@ ?(.*)$/

type OpenHunk = { header: string; oldStart: number; newStart: number; lines: DiffLine[] }

const readKind = (line: string): DiffLine['kind'] | null => {
  const kind = line.charAt(0)
  return kind === ' ' || kind === '+' || kind === '-' ? kind : null
}

/** The hunks of each file, in git's order. A patch that was cut off gives what is whole in it. */
export const parsePatch = (patch: string): DiffHunk[][] => {
  const files: OpenHunk[][] = []
  let hunk: OpenHunk | null = null
  let oldLeft = 0
  let newLeft = 0
  for (const line of patch.split('\n')) {
    if (hunk && (oldLeft > 0 || newLeft > 0)) {
      const kind = readKind(line)
      if (kind === null && !line.startsWith('\\')) break
      if (kind === null) markNoNewline(hunk)
      else hunk.lines.push({ kind, text: line.slice(1) })
      if (kind === ' ' || kind === '-') oldLeft -= 1
      if (kind === ' ' || kind === '+') newLeft -= 1
      continue
    }
    if (line.startsWith('\\') && hunk) markNoNewline(hunk)
    if (line.startsWith('diff --git ')) {
      files.push([])
      hunk = null
    }
    const head = hunkHead.exec(line)
    const file = files.at(-1)
    if (head && file) {
      const [, oldStart = '0', oldCount = '1', newStart = '0', newCount = '1', header = ''] = head
      hunk = { header, oldStart: Number(oldStart), newStart: Number(newStart), lines: [] }
      oldLeft = Number(oldCount)
      newLeft = Number(newCount)
      file.push(hunk)
    }
  }
  return files
}

const markNoNewline = (hunk: OpenHunk): void => {
  const last = hunk.lines.pop()
  if (last) hunk.lines.push({ ...last, noNewline: true })
}
