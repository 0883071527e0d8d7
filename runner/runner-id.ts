import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'

const runnerId = z.string().regex(/^[0-9a-f]{32}$/)

/** The name by which this data folder's runner finds its containers again: made once, then kept. */
export const loadRunnerId = async (dataDir: string): Promise<string> => {
  await fs.mkdir(dataDir, { recursive: true, mode: 0o700 })
  const file = path.join(dataDir, 'runner-id')
  const kept = await fs.readFile(file, 'utf8').catch(() => null)
  if (kept !== null) return runnerId.parse(kept.trim())
  const id = randomBytes(16).toString('hex')
  await fs.writeFile(file, `${id}\n`, { mode: 0o600, flush: true, flag: 'wx' })
  return id
}
