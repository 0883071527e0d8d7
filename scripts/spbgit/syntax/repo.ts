/** The arguments and help of `spbgit repo`. */
import type { Command } from 'commander'
import { type RepoName, repoName } from '../../../server/protocol/ids.ts'
import { create, list } from '../commands/repo.ts'
import type { Session } from '../session.ts'
import { parsedBy } from './arguments.ts'
import { examples, json } from './common.ts'

export const addRepo = (program: Command, session: Session): void => {
  const repo = program.command('repo').description('make and list repositories')
  repo
    .command('create')
    .description('make an empty repository')
    .argument('<name>', 'its name', parsedBy(repoName))
    .option(...json)
    .addHelpText(
      'after',
      examples('spbgit repo create website', 'git push "$(spbgit repo create tools)" main'),
    )
    .action((name: RepoName, options: { json?: boolean }) => create(session, name, options))
  repo
    .command('list')
    .description('list the repositories')
    .option(...json)
    .addHelpText('after', examples('spbgit repo list', "spbgit repo list --json | jq -r '.[].name'"))
    .action((options: { json?: boolean }) => list(session, options))
}
