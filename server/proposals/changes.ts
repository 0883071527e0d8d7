/** What a proposal changes: commits and diff, read under limits so that no proposal can exhaust the forge. */
import type { Diff, DiffFile } from '../../views/file-diff.ts'
import { GitError, readGit } from '../git/child.ts'
import { type Commit, listCommits } from '../git/reading.ts'
import type { CommitId } from '../protocol/ids.ts'
import { parseFileList } from './file-list.ts'
import { parsePatch } from './patch.ts'

export type Changes = Readonly<{ commits: readonly Commit[]; diff: Diff }>

const mostCommits = 200
const mostFiles = 3000
const mostListBytes = 2 * 1024 * 1024
const mostPatchBytes = 8 * 1024 * 1024
const mostLinesOfFile = 5000

const renames = ['-M', '-l400']

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

const withHunks = (file: FileEntry, hunks: DiffFile['hunks'] | undefined): DiffFile => {
  if (hunks === undefined)
    return {
      ...file,
      hunks: [],
      truncated: 'The change is too large to show here. Fetch it to see the rest.',
    }
  const kept: DiffFile['hunks'][number][] = []
  let lines = 0
  for (const hunk of hunks) {
    if (lines >= mostLinesOfFile) break
    kept.push({ ...hunk, lines: hunk.lines.slice(0, mostLinesOfFile - lines) })
    lines += hunk.lines.length
  }
  const truncated =
    lines > mostLinesOfFile ? `Only the first ${mostLinesOfFile} lines of this change are shown.` : null
  return { ...file, hunks: kept, truncated }
}

/** Takes the next file's hunks. git prints a change of type as two: the old file removed, the new one added. */
const takeHunks = ({ status }: FileEntry, rest: DiffFile['hunks'][]): DiffFile['hunks'] | undefined => {
  const first = rest.shift()
  if (first === undefined || status !== 'type-changed') return first
  const second = rest.shift()
  return second && [...first, ...second]
}

/** Reads what `head` changes since `base`. Throws GitError when git fails or reaches its limits. */
export const readChanges = async (repo: string, base: CommitId, head: CommitId): Promise<Changes> => {
  const commits = await listCommits(repo, base, head, mostCommits)
  const list = await readUpTo(
    ['diff-tree', '-r', '-z', '--no-commit-id', '--raw', '--numstat', ...renames, base, head],
    repo,
    mostListBytes,
  )
  // In a list that was cut off, the counts that follow the names are missing; the patch alone would be misread.
  const all = parseFileList(list.text)
  const shown = all.slice(0, mostFiles)
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
  return {
    commits,
    diff: {
      files: shown.map((file) => withHunks(file, takeHunks(file, hunks))),
      truncated:
        list.cut || all.length > mostFiles ? `Only the first ${shown.length} files are listed.` : null,
    },
  }
}
