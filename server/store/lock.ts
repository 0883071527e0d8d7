/** One data folder has one server. */
import { DatabaseSync } from 'node:sqlite'

export class DataFolderInUse extends Error {
  override readonly name = 'DataFolderInUse'
  readonly code = 'data-folder-in-use'
}

/** SQLITE_BUSY (sqlite.org/rescode.html): another process has it. A damaged file is something else. */
const busy = 5

/**
 * Takes the folder's lock for this process. The kernel frees it however the process ends, so a `kill -9` leaves
 * no stale lock. Throws DataFolderInUse when another server has it.
 */
export const lockDataFolder = (file: string): (() => void) => {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    lock.close()
    if (!(error instanceof Error) || !('errcode' in error) || error.errcode !== busy) throw error
    throw new DataFolderInUse(`Another server uses this data folder (${file}). Stop it, or set DATA_DIR.`)
  }
  return () => lock.close()
}
