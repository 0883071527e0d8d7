/** Appends to the log in its argument until a write fails, and once more; prints how often it worked. */
import { openAuditLog } from '../../../server/audit/log.ts'
import { now, rejected } from './entries.ts'

const log = await openAuditLog(process.argv[2] ?? '')
let written = 0
try {
  for (; written < 1000; written += 1) await log.append(rejected('x'.repeat(2000)), now)
} catch {
  await log.append(rejected('short'), now)
  written += 1
}
await log.close()
process.stdout.write(String(written))
