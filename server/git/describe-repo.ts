/** A repository as the API and the pages show it. */
import type { Forge } from '../forge.ts'
import type { Repo } from '../protocol/api.ts'
import type { RepoName } from '../protocol/ids.ts'
import { isEmptyRepository, readDefaultBranch } from './reading.ts'

/** A repository that is not served is described without running git in it. */
export const describeRepo = async ({ repositories, git, config }: Forge, name: RepoName): Promise<Repo> => {
  const path = await repositories.get(name)
  const refused = await git.refusedBecause(path)
  const [defaultBranch, empty] =
    refused === null ? await Promise.all([readDefaultBranch(path), isEmptyRepository(path)]) : [null, false]
  return {
    name,
    defaultBranch,
    empty,
    refused,
    cloneUrl: `${config.publicUrl}/${name}.git`,
    url: `${config.publicUrl}/repos/${name}`,
  }
}
