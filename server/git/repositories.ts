/** The folder of bare repositories: names to paths, create, delete. */
import { lstat, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ForgeError } from '../errors.ts'
import { ulid } from '../identity/ulid.ts'
import { type RepoName, repoName } from '../protocol/ids.ts'
import { runGit } from './child.ts'
import { openConfigReader } from './repo-config.ts'

/** Names that cannot be a repository's: half-made and half-deleted ones wait under them. */
const passing = /^\.(new|deleted)-[0-9a-z]{26}$/

const isRepository = async (folder: string): Promise<boolean> => {
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs', 'config'].map((part) => stat(path.join(folder, part)).catch(() => null)),
  )
  return parts.every((part) => part !== null)
}

const taken = (name: RepoName): ForgeError =>
  new ForgeError('already-exists', `There is a repository ${name} already.`)

export const openRepositories = async (folder: string) => {
  await mkdir(folder, { recursive: true, mode: 0o750 })
  for (const name of await readdir(folder)) {
    if (passing.test(name)) await rm(path.join(folder, name), { recursive: true, force: true })
  }

  const readConfig = openConfigReader()

  /** The repository's folder, with or without `.git` on disk, or null. */
  const find = async (name: RepoName): Promise<string | null> => {
    for (const candidate of [path.join(folder, `${name}.git`), path.join(folder, name)]) {
      if (await isRepository(candidate)) return candidate
    }
    return null
  }

  const get = async (name: RepoName): Promise<string> => {
    const repo = await find(name)
    if (repo === null) throw new ForgeError('not-found', `There is no repository ${name}.`)
    return repo
  }

  return {
    find,

    /** Like find, but a missing repository is a 404. */
    get,

    /** Like get, but a repository in which git must not run is a 409 that says why. */
    async getServed(name: RepoName): Promise<string> {
      const repo = await get(name)
      const { refused } = await readConfig(repo)
      if (refused !== null) throw new ForgeError('repository-refused', refused)
      return repo
    },

    /** Every repository's name, sorted. Folders with other names are not the forge's business. */
    async list(): Promise<RepoName[]> {
      const names = new Set<RepoName>()
      for (const entry of await readdir(folder)) {
        const name = repoName.safeParse(entry.replace(/\.git$/, ''))
        if (name.success && (await isRepository(path.join(folder, entry)))) names.add(name.data)
      }
      return [...names].sort()
    },

    /** Makes an empty bare repository with the default branch `main`. It appears whole or not at all. */
    async create(name: RepoName): Promise<string> {
      const repo = path.join(folder, `${name}.git`)
      if ((await find(name)) !== null || (await lstat(repo).catch(() => null)) !== null) {
        throw taken(name)
      }
      const fresh = path.join(folder, `.new-${ulid(Date.now())}`)
      const init = ['init', '--quiet', '--bare', '--template=', '--initial-branch=main', '.']
      try {
        await mkdir(fresh, { mode: 0o750 })
        await runGit(init, { repo: fresh })
        await rename(fresh, repo)
      } catch (error) {
        await rm(fresh, { recursive: true, force: true })
        if (error instanceof Error && 'code' in error && error.code === 'ENOTEMPTY') throw taken(name)
        throw error
      }
      return repo
    },

    /** Removes a repository with all that is in it. It is gone at once; a crash leaves the rest to the next start. */
    async remove(name: RepoName): Promise<void> {
      const repo = await find(name)
      if (repo === null) throw new ForgeError('not-found', `There is no repository ${name}.`)
      const doomed = path.join(folder, `.deleted-${ulid(Date.now())}`)
      await rename(repo, doomed)
      await rm(doomed, { recursive: true, force: true })
    },
  }
}

export type Repositories = Awaited<ReturnType<typeof openRepositories>>
