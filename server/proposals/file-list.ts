/** `git diff-tree --raw --numstat -z`, parsed: which files a change touches, exactly named. Pure. */
import type { DiffFile } from '../../views/file-diff.ts'

type Entry = Omit<DiffFile, 'hunks' | 'truncated'>

const statusOf = (letter: string): Entry['status'] => {
  switch (letter) {
    case 'A':
      return 'added'
    case 'D':
      return 'removed'
    case 'R':
      return 'renamed'
    case 'C':
      return 'copied'
    case 'T':
      return 'type-changed'
    default:
      return 'modified'
  }
}

const modeOrNone = (mode: string): string | null => (mode === '000000' ? null : mode)

/**
 * The files in git's order. Output that was cut off in the middle gives the files that are whole in it. Throws on
 * what git does not print.
 */
export const parseFileList = (output: string): Entry[] => {
  // What follows the last NUL is nothing, or the beginning of a field that was cut off.
  const fields = output.split('\0').slice(0, -1)
  const files: Entry[] = []
  let counted = 0
  let at = 0
  const next = (): string => fields[at++] ?? ''
  while (at < fields.length) {
    const head = next()
    const raw = /^:(\d{6}) (\d{6}) [0-9a-f]+ [0-9a-f]+ ([A-Z])\d*$/.exec(head)
    if (raw) {
      const [, oldMode = '', newMode = '', letter = ''] = raw
      const names = letter === 'R' || letter === 'C' ? 2 : 1
      if (at + names > fields.length) break
      const oldPath = next()
      const newPath = names === 2 ? next() : oldPath
      files.push({
        oldPath,
        newPath,
        status: statusOf(letter),
        oldMode: modeOrNone(oldMode),
        newMode: modeOrNone(newMode),
        binary: false,
        additions: 0,
        deletions: 0,
      })
      continue
    }
    const count = /^(\d+|-)\t(\d+|-)\t/.exec(head)
    const file = files[counted]
    if (!count || !file) throw new Error('git printed an unknown file list')
    if (head === count[0]) at += 2
    const [, added = '', removed = ''] = count
    files[counted] = {
      ...file,
      binary: added === '-',
      additions: added === '-' ? 0 : Number(added),
      deletions: removed === '-' ? 0 : Number(removed),
    }
    counted += 1
  }
  return files
}
