/** The runner's data folder: one runner at a time, and one name for all of its runs. */
import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { z } from 'zod'
import { ConfigError } from './config.ts'

export type DataFolder = Disposable & {
  /** Names the runner on the engine: made once, then kept. */
  readonly runner: string
}

const runnerName = z.string().regex(/^[0-9a-f]{32}$/)

/**
 * Opens the folder, or makes it, and holds it until disposed of. Rejects with a ConfigError when another
 * runner has it: each would take the other's containers for lost ones and remove them.
 */
export const openDataFolder = async (dataDir: string): Promise<DataFolder> => {
  await fs.mkdir(dataDir, { recursive: true, mode: 0o700 })
  const lock = takeLock(path.join(dataDir, 'lock'))
  try {
    return { runner: await loadName(path.join(dataDir, 'runner-id')), [Symbol.dispose]: () => lock.close() }
  } catch (error) {
    lock.close()
    throw error
  }
}

/** SQLITE_BUSY (sqlite.org/rescode.html): another process has it. */
const busy = 5

/** A lock of the kernel's, by way of SQLite: it is free when its holder has died, however that was. */
const takeLock = (file: string): DatabaseSync => {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    if (!(error instanceof Error) || !('errcode' in error) || error.errcode !== busy) throw error
    throw new ConfigError('Another runner uses this DATA_DIR. Stop it, or set DATA_DIR to another folder.')
  }
}

const loadName = async (file: string): Promise<string> => {
  const kept = await fs.readFile(file, 'utf8').catch(() => null)
  if (kept !== null) return runnerName.parse(kept.trim())
  const name = randomBytes(16).toString('hex')
  await fs.writeFile(file, `${name}\n`, { mode: 0o600, flush: true, flag: 'wx' })
  return name
}
