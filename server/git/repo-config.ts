/** Whether a repository's own configuration is harmless. git obeys it, so whoever can write it could run programs. */
import { lstat, stat } from 'node:fs/promises'
import path from 'node:path'
import { GitError, runGit } from './child.ts'

const harmless: readonly RegExp[] = [
  /^core\.(repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks)$/,
  /^core\.(sharedrepository|compression|loosecompression|bigfilethreshold|hookspath|abbrev)$/,
  /^extensions\.(objectformat|refstorage|preciousobjects)$/,
  /^(gc|pack|repack|maintenance|gitweb|cgit|user|init|color|advice)\./,
  /^branch\..*\.(remote|merge|rebase)$/,
  /^remote\..*\.(url|fetch|mirror|tagopt|prune)$/,
  /^receive\.(deny(nonfastforwards|deletes|currentbranch|deletecurrent)|advertisepushoptions|fsckobjects)$/,
  /^receive\.(unpacklimit|maxinputsize|autogc)$/,
  /^transfer\.(fsckobjects|unpacklimit)$/,
  /^http\.(receivepack|uploadpack)$/,
  /^uploadpack\.allow(filter|anysha1inwant|tipsha1inwant|reachablesha1inwant)$/,
]

/** Among those sections, the keys that name a program. */
const harmful = /^(gc\.recentobjectshook|maintenance\..*command|user\.signingkey)$/

/** The first key that is not known to be harmless, from `git config --list -z --name-only`. Pure. */
export const firstHarmfulKey = (names: readonly string[]): string | null =>
  names.find((name) => harmful.test(name) || !harmless.some((pattern) => pattern.test(name))) ?? null

export type ObjectFormat = 'sha1' | 'sha256'

/** What the forge has to know of a repository's configuration before git runs in it. */
export type RepoConfig = Readonly<{
  /** Why the repository cannot be served, as a sentence, or null. */
  refused: string | null
  objectFormat: ObjectFormat
}>

/** Reads `git config --list -z`: `<key>\n<value>` or `<key>` alone, each ended by NUL. Pure. */
export const parseConfigList = (output: string): RepoConfig => {
  const entries = output
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry) => entry.split('\n', 2))
  const key = firstHarmfulKey(entries.map(([name = '']) => name))
  const format = entries.findLast(([name]) => name === 'extensions.objectformat')?.[1]
  return {
    refused:
      key === null
        ? null
        : `This repository is not served: its config has "${key}", which could change what git runs or hides. ` +
          `Remove it with: git config --unset-all ${key}`,
    objectFormat: format === 'sha256' ? 'sha256' : 'sha1',
  }
}

const unserved = (why: string): RepoConfig => ({
  refused: `This repository is not served: ${why}.`,
  objectFormat: 'sha1',
})

/** Whether git goes elsewhere for its config: where a `commondir` says, or into a `.git` (gitrepository-layout). */
const isBorrowing = async (repo: string): Promise<boolean> => {
  const parts = ['commondir', '.git'].map((part) => lstat(path.join(repo, part)).catch(() => null))
  return (await Promise.all(parts)).some((part) => part !== null)
}

/** How many configurations are remembered; the oldest are read again. */
const mostKnown = 10_000

/** Reads configurations, and asks git again only when the file has changed. */
export const openConfigReader = () => {
  const known = new Map<string, { stamp: string; config: RepoConfig }>()

  return async (repo: string): Promise<RepoConfig> => {
    if (await isBorrowing(repo)) return unserved('it takes its configuration from another repository')
    const file = path.join(repo, 'config')
    const { ctimeNs, size, ino } = await stat(file, { bigint: true })
    const stamp = `${ctimeNs} ${size} ${ino}`
    const before = known.get(repo)
    if (before?.stamp === stamp) return before.config
    // --file without --includes: git parses, and follows nothing.
    const config = await runGit(['config', '--file', file, '--list', '-z'], { repo }).then(
      parseConfigList,
      (error: unknown) => {
        if (error instanceof GitError) return unserved('git cannot read its config')
        throw error
      },
    )
    const [oldest] = known.keys()
    if (known.size >= mostKnown && oldest !== undefined) known.delete(oldest)
    known.set(repo, { stamp, config })
    return config
  }
}
