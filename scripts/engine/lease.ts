import fs from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { isAlive } from '../process.ts'
import { isDaemon } from './daemon.ts'

/**
 * Who uses the engine that one of our runs started. The last to leave stops it, whoever started it; a run
 * that was killed counts no longer, so what it started ends with the next run. `folder` belongs to the
 * machine, as the engine does.
 */
export type Lease = { readonly folder: string }

/** Counts this process as a user. */
export const enter = async ({ folder }: Lease): Promise<void> => {
  await fs.mkdir(path.join(folder, 'users'), { recursive: true, mode: 0o700 })
  await fs.writeFile(path.join(folder, 'users', String(process.pid)), '')
}

/** No longer counts this process. Returns how many others still use the engine. */
export const leave = async ({ folder }: Lease): Promise<number> => {
  await fs.rm(path.join(folder, 'users', String(process.pid)), { force: true })
  const users = await fs.readdir(path.join(folder, 'users')).catch(() => [])
  return users.filter((name) => isAlive(Number(name))).length
}

/** Forgets everything, once the engine has ended. */
export const forget = async ({ folder }: Lease): Promise<void> => {
  await fs.rm(folder, { recursive: true, force: true })
}

export const recordDaemon = async ({ folder }: Lease, pid: number): Promise<void> => {
  await fs.writeFile(path.join(folder, 'dockerd.pid'), `${pid}\n`, { mode: 0o600 })
}

/** The engine that one of our runs started and that still runs; null where there is none. */
export const findDaemon = async ({ folder }: Lease): Promise<number | null> => {
  const pid = Number(await fs.readFile(path.join(folder, 'dockerd.pid'), 'utf8').catch(() => ''))
  return pid > 0 && (await isDaemon(pid)) ? pid : null
}
