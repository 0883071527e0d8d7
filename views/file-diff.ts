/** What a page takes of a diff, in git’s words. Every text in it is hostile. */

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
