/** Brings our index, which holds a commit, to what the work tree holds. */
import fs from 'node:fs/promises'
import process from 'node:process'
import { CollectError } from './collect-error.ts'
import { git, joinNul, splitNul, tryGit } from './git.ts'
import { type Folders, type Scan, scanTree } from './scan-tree.ts'

/**
 * Does what `git add --all` would, with plumbing that starts no program in a nested repository (which would
 * read that repository's configuration, and so run what it says).
 */
export const stageWork = async (tree: string): Promise<void> => {
  const tracked = await listTracked()
  const submodules = new Set(tracked.submodules)
  const scan = await scanTree(tree, { tracked: foldersOf(tracked.files), submodules })
  report(scan)

  const hidden = new Set(scan.unreadable)
  const gone = tracked.files.filter((path) => !scan.files.has(path) && !isHidden(path, hidden))
  const goneSubmodules = await filterMissing(tree, tracked.submodules)
  await git(['update-index', '-z', '--force-remove', '--stdin'], joinNul([...gone, ...goneSubmodules]))

  const changed = (await listChanged()).filter((path) => scan.files.has(path))
  const known = new Set(tracked.files)
  const added = await dropIgnored([...scan.files].filter((path) => !known.has(path)))
  await git(['update-index', '-z', '--add', '--replace', '--stdin'], joinNul([...changed, ...added]))
}

type Tracked = { readonly files: readonly string[]; readonly submodules: readonly string[] }

const listTracked = async (): Promise<Tracked> => {
  const entries = splitNul(await git(['ls-files', '-z', '--stage'])).map((line) => {
    const tab = line.indexOf('\t')
    return { path: line.slice(tab + 1), isSubmodule: line.startsWith('160000 ') }
  })
  const paths = (isSubmodule: boolean) =>
    entries.filter((entry) => entry.isSubmodule === isSubmodule).map(({ path }) => path)
  return { files: paths(false), submodules: paths(true) }
}

const foldersOf = (files: readonly string[]): Folders['tracked'] => {
  const folders = new Set<string>()
  for (const file of files)
    for (let end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
      const folder = file.slice(0, end)
      if (folders.has(folder)) break
      folders.add(folder)
    }
  return folders
}

/** What cannot be read, or lies in a folder that cannot, stays as it was. */
const isHidden = (path: string, unreadable: ReadonlySet<string>): boolean => {
  if (unreadable.has('') || unreadable.has(path)) return true
  for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1))
    if (unreadable.has(path.slice(0, end))) return true
  return false
}

const filterMissing = async (tree: string, submodules: readonly string[]): Promise<string[]> => {
  const missing: string[] = []
  for (const path of submodules) {
    const found = await fs.lstat(Buffer.from(`${tree}/${path}`, 'latin1')).catch(() => null)
    if (!found?.isDirectory()) missing.push(path)
  }
  return missing
}

const listChanged = async (): Promise<string[]> => {
  // Compares contents, so that diff-files need not write every file that it cannot tell from its times.
  await tryGit(['update-index', '-q', '--ignore-submodules', '--refresh'])
  return splitNul(await git(['diff-files', '-z', '--name-only', '--ignore-submodules=all']))
}

const dropIgnored = async (paths: readonly string[]): Promise<string[]> => {
  // A name is a pathspec here, and literal ones are not supported: behind "./" none begins with magic.
  const names = joinNul(paths.map((path) => `./${path}`))
  const { exit, out } = await tryGit(['check-ignore', '-z', '--no-index', '--stdin'], names)
  if (exit !== 0 && exit !== 1) throw new CollectError('git check-ignore could not read what the agent left.')
  const ignored = new Set(splitNul(out))
  return paths.filter((path) => !ignored.has(`./${path}`))
}

const mentioned = 20

const report = ({ unreadable, nested }: Scan): void => {
  const say = (paths: readonly string[], what: string): void => {
    const names = paths
      .slice(0, mentioned)
      .map((path) => JSON.stringify(Buffer.from(path, 'latin1').toString()))
    const more = paths.length > mentioned ? ` and ${paths.length - mentioned} more` : ''
    if (paths.length > 0) process.stderr.write(`${what}: ${names.join(', ')}${more}\n`)
  }
  say(unreadable, 'Not readable, and so left as it was')
  say(nested, 'Repositories of their own, and so left out')
}
