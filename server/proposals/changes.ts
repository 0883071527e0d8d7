/** What a proposal changes: commits and diff, read under limits so that no proposal can exhaust the forge. */
import type { Diff, DiffFile } from '../../views/file-diff.ts'
import { GitError, readGit } from '../git/child.ts'
import { type Commit, listCommits } from '../git/reading.ts'
import type { CommitId } from '../protocol/ids.ts'
import { parseFileList } from './file-list.ts'
import { openPageBudget, type PageBudget } from './page-budget.ts'
import { parsePatch } from './patch.ts'

export type Changes = Readonly<{ commits: readonly Commit[]; diff: Diff }>

const mostCommits = 200
const mostFiles = 3000
const mostListBytes = 2 * 1024 * 1024
const mostPatchBytes = 4 * 1024 * 1024
const mostLinesOfFile = 5000
const longestLine = 5000
/** What the names of files, and the lines of all of them, may weigh on the page. */
const mostOfNames = 2 * 1024 * 1024
const mostOfLines = 8 * 1024 * 1024

const readUpTo = async (
  args: readonly string[],
  repo: string,
  maxBytes: number,
): Promise<{ text: string; cut: boolean }> => {
  const chunks: Buffer[] = []
  let size = 0
  const { exit, stderr, stopped } = await readGit(args, { repo }, (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    return size < maxBytes
  })
  if (!stopped && exit !== 0) throw new GitError('git-failed', exit, stderr)
  return { text: Buffer.concat(chunks).toString('utf8'), cut: stopped }
}

type FileEntry = ReturnType<typeof parseFileList>[number]

const noteOn = (file: FileEntry, lines: number, stopped: boolean, shortened: boolean): string | null => {
  const notes = [
    ...(stopped ? [`Only the first ${lines} lines of this change are shown.`] : []),
    ...(shortened ? [`Lines are shown up to ${longestLine} characters.`] : []),
  ]
  return notes.length > 0 && !file.binary ? notes.join(' ') : null
}

const withHunks = (file: FileEntry, hunks: DiffFile['hunks'] | undefined, budget: PageBudget): DiffFile => {
  if (hunks === undefined)
    return {
      ...file,
      hunks: [],
      truncated: 'The change is too large to show here. Fetch it to see the rest.',
    }
  const kept: DiffFile['hunks'][number][] = []
  let lines = 0
  let stopped = false
  let shortened = false
  for (const hunk of hunks) {
    const fits: DiffFile['hunks'][number]['lines'][number][] = []
    for (const line of hunk.lines) {
      const text = line.text.slice(0, longestLine)
      stopped ||= lines >= mostLinesOfFile || !budget.take(text)
      if (stopped) break
      shortened ||= text.length < line.text.length
      fits.push({ ...line, text })
      lines += 1
    }
    if (fits.length > 0) kept.push({ ...hunk, lines: fits })
    if (stopped) break
  }
  return { ...file, hunks: kept, truncated: noteOn(file, lines, stopped, shortened) }
}

/** Takes the next file's hunks. git prints a change of type as two: the old file removed, the new one added. */
const takeHunks = ({ status }: FileEntry, rest: DiffFile['hunks'][]): DiffFile['hunks'] | undefined => {
  const first = rest.shift()
  if (first === undefined || status !== 'type-changed') return first
  const second = rest.shift()
  return second && [...first, ...second]
}

type Renames = readonly string[]

const readDiff = async (repo: string, base: CommitId, head: CommitId, renames: Renames): Promise<Diff> => {
  const list = await readUpTo(
    ['diff-tree', '-r', '-z', '--no-commit-id', '--raw', '--numstat', ...renames, base, head],
    repo,
    mostListBytes,
  )
  // In a list that was cut off, the counts that follow the names are missing; the patch alone would be misread.
  const all = parseFileList(list.text)
  const names = openPageBudget(mostOfNames)
  const shown = all.slice(0, mostFiles).filter(({ oldPath, newPath }) => names.take(oldPath + newPath))
  const patch = list.cut
    ? { text: '', cut: true }
    : await readUpTo(
        [
          'diff-tree',
          '-r',
          '-p',
          '--no-commit-id',
          '--no-color',
          '--no-ext-diff',
          '--no-textconv',
          ...renames,
          base,
          head,
        ],
        repo,
        mostPatchBytes,
      )
  const hunks: DiffFile['hunks'][] = parsePatch(patch.text)
  // The last file of a patch that was cut off may be half there.
  if (patch.cut) hunks.pop()
  const lines = openPageBudget(mostOfLines)
  return {
    files: shown.map((file) => withHunks(file, takeHunks(file, hunks), lines)),
    truncated:
      list.cut || all.length > shown.length ? `Only the first ${shown.length} files are listed.` : null,
  }
}

const unreadable: Diff = {
  files: [],
  truncated: 'This change is too much work for git to compare here. Fetch the proposal to see it.',
}

/** Falls back where git fails or reaches its limits, so that no proposal is asked of it again and again. */
const orElse = async <T>(read: Promise<T>, instead: () => T | Promise<T>): Promise<T> => {
  try {
    return await read
  } catch (error) {
    if (error instanceof GitError) return instead()
    throw error
  }
}

/** Reads what `head` changes since `base`: all of it, or as much as a page holds, and then it says so. */
export const readChanges = async (repo: string, base: CommitId, head: CommitId): Promise<Changes> => ({
  commits: await orElse(listCommits(repo, base, head, mostCommits), () => []),
  diff: await orElse(readDiff(repo, base, head, ['-M', '-l400']), () =>
    orElse(readDiff(repo, base, head, ['--no-renames']), () => unreadable),
  ),
})
