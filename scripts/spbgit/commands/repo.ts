/** `spbgit repo create` and `spbgit repo list`. */
import type { Repo } from '../../../server/protocol/api.ts'
import type { RepoName } from '../../../server/protocol/ids.ts'
import { branchOf } from '../../../server/protocol/refs.ts'
import { createRepo, listRepos } from '../forge/api.ts'
import { type Session, signedIn } from '../session.ts'
import { table } from '../terminal/table.ts'

type Options = { json?: boolean }

export const create = async (session: Session, name: RepoName, { json }: Options): Promise<void> => {
  const { output } = session
  const made = await createRepo(await signedIn(session), name)
  if (json) return output.json(made)
  output.say(`Created ${made.name}. To fill it: git push ${made.cloneUrl} <branch>`)
  output.line(made.cloneUrl)
}

const describeBranch = ({ defaultBranch, empty }: Repo): string =>
  `${defaultBranch === null ? '-' : branchOf(defaultBranch)}${empty ? ' (empty)' : ''}`

export const list = async (session: Session, { json }: Options): Promise<void> => {
  const { output } = session
  const repos = await listRepos(await signedIn(session))
  if (json) return output.json(repos)
  if (repos.length === 0)
    return output.say('There are no repositories yet. Make one: spbgit repo create <name>')
  const rows = repos.map((repo) => [repo.name, describeBranch(repo), repo.refused ?? repo.cloneUrl])
  for (const line of table(['NAME', 'BRANCH', 'CLONE FROM'], rows, output.columns)) output.line(line)
}
