/** Whether a repository's own configuration is harmless. git obeys it, so whoever can write it could run programs. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { runGit } from './child.ts'

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

/** gc and pack have keys that name programs or files; none of them is needed. */
const harmful = /^(gc\..*command|pack\.packsizelimit.*command|user\.signingkey)$/

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

/** Reads configurations, and asks git again only when the file has changed. */
export const openConfigReader = () => {
  const known = new Map<string, { stamp: string; config: RepoConfig }>()

  /** Throws when the repository's config cannot be read. */
  return async (repo: string): Promise<RepoConfig> => {
    const file = path.join(repo, 'config')
    const { mtimeNs, size, ino } = await stat(file, { bigint: true })
    const stamp = `${mtimeNs} ${size} ${ino}`
    const before = known.get(repo)
    if (before?.stamp === stamp) return before.config
    // --file without --includes: git parses, and follows nothing.
    const config = parseConfigList(await runGit(['config', '--file', file, '--list', '-z'], { repo }))
    known.set(repo, { stamp, config })
    return config
  }
}
