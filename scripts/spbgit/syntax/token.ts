/** The arguments and help of `spbgit token`. */
import type { Command } from 'commander'
import { repoName, type TokenId, tokenId } from '../../../server/protocol/ids.ts'
import { refGlob } from '../../../server/protocol/refs.ts'
import { create, list, revoke } from '../commands/token.ts'
import type { Session } from '../session.ts'
import { parseDuration, parsedBy } from './arguments.ts'
import { examples, json } from './common.ts'

export const addToken = (program: Command, session: Session): void => {
  const token = program.command('token').description('make, list and revoke tokens')
  token
    .command('create')
    .description('make a token: a personal one, or with --repo and --refs one for a job’s refs alone')
    .argument('<label>', 'what it is for')
    .option('--repo <repo>', 'the repository that it may push to', parsedBy(repoName))
    .option('--refs <glob>', 'the refs that it may push, refs/agents/<job>/*', parsedBy(refGlob))
    .option(
      '--expires <time>',
      'how long it works: 30m or 1h, two hours at most (default: 1h)',
      parseDuration,
    )
    .option(...json)
    .addHelpText(
      'after',
      examples(
        'spbgit token create laptop',
        "spbgit token create agent --repo website --refs 'refs/agents/42/*' --expires 1h",
      ),
    )
    .action((label: string, options: Parameters<typeof create>[2]) => create(session, label, options))
  token
    .command('list')
    .description('list the tokens, newest first, those that work no more among them')
    .option(...json)
    .addHelpText('after', examples('spbgit token list'))
    .action((options: { json?: boolean }) => list(session, options))
  token
    .command('revoke')
    .description('end a token and every session that was opened with it')
    .argument('<id>', 'the id of the token', parsedBy(tokenId))
    .option(...json)
    .addHelpText('after', examples('spbgit token revoke 01hzy3k9q2w4e6r8t0m5n7p9xz'))
    .action((id: TokenId, options: { json?: boolean }) => revoke(session, id, options))
}
