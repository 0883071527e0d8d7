/** A repository as the API and the pages show it. */
import type { Forge } from '../forge.ts'
import { toPage } from '../http/context.ts'
import type { Repo } from '../protocol/api.ts'
import type { RepoName } from '../protocol/ids.ts'
import { GitError } from './child.ts'
import { isEmptyRepository, readDefaultBranch } from './reading.ts'

type Content = Pick<Repo, 'defaultBranch' | 'empty' | 'refused'>

const unread = (refused: string): Content => ({ defaultBranch: null, empty: false, refused })

/** A broken repository says so in its place; the others of a list are shown. */
const readContent = async ({ git }: Forge, path: string): Promise<Content> => {
  const refused = await git.refusedBecause(path)
  if (refused !== null) return unread(refused)
  try {
    const [defaultBranch, empty] = await Promise.all([readDefaultBranch(path), isEmptyRepository(path)])
    return { defaultBranch, empty, refused: null }
  } catch (error) {
    if (error instanceof GitError) return unread('git cannot read this repository. Run git fsck in it.')
    throw error
  }
}

/** A repository that is not served is described without running git in it. */
export const describeRepo = async (forge: Forge, name: RepoName): Promise<Repo> => {
  const { repositories, config } = forge
  return {
    name,
    ...(await readContent(forge, await repositories.get(name))),
    cloneUrl: `${config.publicUrl}/${name}.git`,
    url: `${config.publicUrl}/repos/${name}`,
  }
}

/** Repositories by name, from the one after `after`, with the name from which the next page goes on. */
export const readRepos = async (
  forge: Forge,
  after: RepoName | null,
  limit: number,
): Promise<{ items: Repo[]; next: string | null }> => {
  const names = (await forge.repositories.list()).filter((name) => after === null || name > after)
  const { items, next } = toPage(names, limit, (name) => name)
  return { items: await Promise.all(items.map((name) => describeRepo(forge, name))), next }
}
