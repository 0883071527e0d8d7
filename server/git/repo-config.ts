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

/** Judges configurations, and asks git again only when the file has changed. */
export const openConfigJudge = () => {
  const judged = new Map<string, { stamp: string; reason: string | null }>()

  /** Why the repository cannot be served, or null. Throws when its config cannot be read. */
  return async (repo: string): Promise<string | null> => {
    const file = path.join(repo, 'config')
    const { mtimeNs, size, ino } = await stat(file, { bigint: true })
    const stamp = `${mtimeNs} ${size} ${ino}`
    const known = judged.get(repo)
    if (known?.stamp === stamp) return known.reason
    // --file without --includes: git parses, and follows nothing.
    const out = await runGit(['config', '--file', file, '--list', '--name-only', '-z'], { repo })
    const key = firstHarmfulKey(out.split('\0').filter((name) => name !== ''))
    const reason =
      key === null
        ? null
        : `This repository is not served: its config has "${key}", which could change what git runs or hides. ` +
          `Remove it with: git config --unset-all ${key}`
    judged.set(repo, { stamp, reason })
    return reason
  }
}
