/** A real store in a folder of the test's own, and a clock that the test sets. */
import path from 'node:path'
import type { Test } from 'tap'
import { openAuditLog } from '../../../server/audit/log.ts'
import { TokenStore } from '../../../server/identity/token-store.ts'
import { openDatabase } from '../../../server/store/database.ts'
import { tempFolder } from '../../support/temp.ts'

export const openStore = async (t: Test) => {
  const folder = tempFolder(t)
  const clock = { now: Date.parse('2026-11-30T12:00:00.000Z') }
  const now = (): number => clock.now
  const db = await openDatabase(path.join(folder, 'forge.sqlite'))
  const audit = await openAuditLog(path.join(folder, 'agent-jobs.jsonl'))
  t.teardown(async () => {
    await audit.close()
    await db.destroy()
  })
  return { folder, db, audit, now, clock, tokens: new TokenStore(db, audit, now) }
}

export type Store = Awaited<ReturnType<typeof openStore>>
