/** `spbgit audit`: the record of every job, and the check of the log behind it. */
import type { JobRecord } from '../../../server/protocol/api.ts'
import { BrokenChain, followLine, genesis } from '../../../server/protocol/audit-chain.ts'
import { Failure } from '../failure.ts'
import type { Forge } from '../forge/address.ts'
import { listRecords } from '../forge/api.ts'
import { auditLines } from '../forge/audit-lines.ts'
import { type Session, signedIn } from '../session.ts'
import { table } from '../terminal/table.ts'

type Options = { verify?: boolean; head?: string; json?: boolean }

const row = ({ job, repo, start, exitReason, decision, task }: JobRecord): string[] => [
  String(job),
  repo,
  start ?? '-',
  decision ?? exitReason ?? '-',
  task,
]

/** The record of every job of the forge. */
export const listAudit = async ({ output }: Session, forge: Forge, json = false): Promise<void> => {
  const records = await listRecords(forge)
  if (json) return output.json(records)
  if (records.length === 0)
    return output.say('There are no jobs yet. Start one: spbgit agent run <repo> "<task>"')
  const rows = records.map(row)
  for (const line of table(['JOB', 'REPOSITORY', 'STARTED', 'END', 'TASK'], rows, output.columns))
    output.line(line)
}

/** Where the chain ends, and where in it `noted` is; null: nowhere. */
const followChain = async (forge: Forge, noted: string | undefined) => {
  let head = genesis
  let found: number | null = null
  for await (const line of auditLines(forge)) {
    try {
      head = followLine(head, line)
    } catch (error) {
      if (error instanceof BrokenChain) throw new Failure('audit-broken', error.message, { cause: error })
      throw error
    }
    if (head.hash === noted) found = head.seq
  }
  return { head, found }
}

const verify = async ({ output }: Session, forge: Forge, { head: noted, json }: Options): Promise<void> => {
  const { head, found } = await followChain(forge, noted)
  if (noted !== undefined && found === null) {
    throw new Failure(
      'audit-broken',
      `The log, which ends in ${head.hash}, does not hold ${noted}. It was rewritten after that head was noted, or the head is another forge’s.`,
    )
  }
  if (json) return output.json({ entries: head.seq, head: head.hash, found })
  output.say(`The ${head.seq} entries of the log are one unbroken chain.`, 'green')
  output.say(
    found === null
      ? 'Only a head that you noted earlier shows whether the log was rewritten as a whole. Note this one, and give it with --head next time:'
      : `The head that you noted is entry ${found} of it: nothing up to there was changed since. It now ends in:`,
  )
  output.line(head.hash)
}

/** Lists the records; with `verify` or a `head` noted earlier, checks the log instead. */
export const audit = async (session: Session, options: Options): Promise<void> => {
  const forge = await signedIn(session)
  if (options.verify || options.head !== undefined) await verify(session, forge, options)
  else await listAudit(session, forge, options.json)
}
