/** `spbgit` as commander knows it. A wrong use is thrown as a CommanderError after it was said on stderr. */
import { Command } from 'commander'
import { credential } from '../commands/credential.ts'
import { login, logout } from '../commands/login.ts'
import { type ForgeUrl, forgeUrl } from '../forge/address.ts'
import { fingerprint } from '../forge/certificate.ts'
import type { Session } from '../session.ts'
import { addAgent } from './agent.ts'
import { parsedBy } from './arguments.ts'
import { addAudit } from './audit.ts'
import { examples, json } from './common.ts'
import { addRepo } from './repo.ts'
import { addToken } from './token.ts'
import { addWebhook } from './webhook.ts'

const fingerprintHelp = `

A forge with a certificate of its own shows the fingerprint, on its machine, with:
  openssl x509 -noout -fingerprint -sha256 -in "$DATA_DIR/tls/cert.pem"`

const addSigning = (program: Command, session: Session): void => {
  program
    .command('login')
    .description('sign in to a forge with a personal access token, and use it from now on')
    .argument('<url>', 'address of the forge', parsedBy(forgeUrl))
    .option('--token-file <file>', 'read the token from a file instead of the terminal or stdin')
    .option(
      '--fingerprint <sha256>',
      'trust exactly the certificate with this fingerprint',
      parsedBy(fingerprint),
    )
    .option('--ca <file>', 'trust what the certificates in this PEM file have signed')
    .option(...json)
    .addHelpText(
      'after',
      examples(
        'spbgit login https://git.example.org',
        'spbgit login https://localhost:8443 --ca forge.pem --token-file owner-token',
      ) + fingerprintHelp,
    )
    .action((url: ForgeUrl, options: Parameters<typeof login>[2]) => login(session, url, options))
  program
    .command('logout')
    .description('forget the current forge and its token on this machine')
    .option(...json)
    .addHelpText('after', examples('spbgit logout'))
    .action((options: { json?: boolean }) => logout(session, options))
  program
    .command('credential')
    .description('answer git as its credential helper; login says how to configure it')
    .argument('<operation>', 'get; store and erase change nothing')
    .action((operation: string) => credential(session, operation))
}

export const createProgram = (session: Session, version: string): Command => {
  const program = new Command('spbgit')
    .description('Give tasks to coding agents, review what they propose, from a terminal')
    .version(version)
    .exitOverride()
    .showHelpAfterError('Add --help to see how it is used.')
    .addHelpText(
      'after',
      examples(
        'spbgit login https://git.example.org',
        'spbgit agent run website "npm run format"',
        'spbgit agent approve website 42 --branch format',
      ),
    )
  addSigning(program, session)
  addRepo(program, session)
  addAgent(program, session)
  addToken(program, session)
  addWebhook(program, session)
  addAudit(program, session)
  return program
}
