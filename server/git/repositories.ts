/** The folder of bare repositories: names to paths, create, delete. */
import { lstat, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { ForgeError } from '../errors.ts'
import { ulid } from '../identity/ulid.ts'
import { type RepoName, repoName } from '../protocol/ids.ts'
import { isRepository, makeRepository, unfinished } from './make-repository.ts'
import { openConfigReader } from './repo-config.ts'

/** What a folder that is being removed is called. No repository's name begins with a dot. */
const doomed = /^\.deleted-[0-9a-z]{26}$/

const taken = (name: RepoName): ForgeError =>
  new ForgeError('already-exists', `There is a repository ${name} already.`)

export const openRepositories = async (folder: string) => {
  await mkdir(folder, { recursive: true, mode: 0o750 })
  for (const name of await readdir(folder)) {
    if (unfinished.test(name) || doomed.test(name))
      await rm(path.join(folder, name), { recursive: true, force: true })
  }

  const readConfig = openConfigReader()

  /** The repository's folder, with or without `.git` on disk, all links followed; or null. */
  const find = async (name: RepoName): Promise<string | null> => {
    for (const candidate of [path.join(folder, `${name}.git`), path.join(folder, name)]) {
      if (await isRepository(candidate)) return realpath(candidate)
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
      if (!(await makeRepository(repo, 'bare'))) throw taken(name)
      return repo
    },

    /** Removes a repository with all that is in it. It is gone at once; a crash leaves the rest to the next start. */
    async remove(name: RepoName): Promise<void> {
      const repo = await get(name)
      const aside = path.join(folder, `.deleted-${ulid(Date.now())}`)
      await rename(repo, aside)
      await rm(aside, { recursive: true, force: true })
    },
  }
}

export type Repositories = Awaited<ReturnType<typeof openRepositories>>
