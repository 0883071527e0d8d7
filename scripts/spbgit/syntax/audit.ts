/** The arguments and help of `spbgit audit`. */
import type { Command } from 'commander'
import { z } from 'zod'
import { audit } from '../commands/audit.ts'
import type { Session } from '../session.ts'
import { parsedBy } from './arguments.ts'
import { examples, json } from './common.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'a head is 64 hexadecimal digits')

const verifyHelp = `

Each entry of the log holds the hash of the one before it. --verify fetches the whole log and follows the chain on
this machine, which shows that no entry was changed, left out or put elsewhere by itself. A log that was written
anew as a whole is a chain as well: what shows that is a head from before, which --head looks for.`

export const addAudit = (program: Command, session: Session): void => {
  program
    .command('audit')
    .description('show the audit record of every job, or check the log behind it')
    .option('--verify', 'fetch the log and check its chain of hashes')
    .option('--head <hash>', 'check also that the log still holds this head, noted earlier', parsedBy(hash))
    .option(...json)
    .addHelpText(
      'after',
      examples('spbgit audit', 'spbgit audit --verify > head', 'spbgit audit --head "$(cat head)"') +
        verifyHelp,
    )
    .action((options: Parameters<typeof audit>[1]) => audit(session, options))
}
