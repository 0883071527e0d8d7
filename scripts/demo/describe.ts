import path from 'node:path'
import process from 'node:process'
import type { AgentJob } from '../../server/protocol/api.ts'
import type { Forge } from '../spbgit/forge/address.ts'
import { demoFolder } from './folder.ts'
import { describeEnd } from './job.ts'
import { demoRepo } from './repository.ts'

const checkout = (): string => path.relative(process.cwd(), demoFolder.checkout)

/** What there is now. */
export const describeDemo = (job: AgentJob): string => {
  const token = path.relative(process.cwd(), demoFolder.ownerToken)
  return `
  Job ${job.id} ended: ${describeEnd(job)}

  ${job.proposal === null ? 'Its page       ' : 'Proposal       '} ${job.url}
  Owner's token   ${token}
  A checkout      ${checkout()}
  Logs            ${path.relative(process.cwd(), demoFolder.root)}/forge.log, runner.log
`
}

/** What to try while the forge runs. */
export const describeNext = ({ url }: Forge): string => `  Try next
    1. Open the proposal and sign in with the token. The certificate is the
       forge's own, so the browser asks once whether you trust it.
    2. Read the diff and approve it onto a branch, for example "morning". Then:
         git -C ${checkout()} fetch && git -C ${checkout()} log origin/morning
    3. The same from the command line:
         npx spbgit login ${url}
         npx spbgit agent run ${demoRepo} "echo '# Thanks' > THANKS.md"
         npx spbgit agent list

  Ctrl-C stops everything. The next "npm run demo" goes on with what is there.
`
