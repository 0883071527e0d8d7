import fs from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { isAlive } from '../process.ts'
import { SetUpError } from '../set-up-error.ts'

const root = path.resolve(import.meta.dirname, '../../.demo')

/** Where everything of the demo lives. Deleting the folder makes the next demo begin anew. */
export const demoFolder = {
  root,
  forge: path.join(root, 'forge'),
  repos: path.join(root, 'repos'),
  runner: path.join(root, 'runner'),
  certificate: path.join(root, 'forge/tls/cert.pem'),
  ownerToken: path.join(root, 'owner-token'),
  checkout: path.join(root, 'hello'),
  processes: path.join(root, 'processes'),
} as const

/**
 * Makes the folder this process's own until `cleanUp` is disposed.
 * Throws a SetUpError where a demo, or a part that a killed demo left behind, still runs here.
 */
export const claimFolder = async (cleanUp: AsyncDisposableStack): Promise<void> => {
  await fs.mkdir(root, { recursive: true, mode: 0o700 })
  const recorded = await fs.readFile(demoFolder.processes, 'utf8').catch(() => '')
  const alive = recorded.split('\n').filter((line) => line !== '' && isAlive(Number(line)))
  if (alive.length > 0) {
    throw new SetUpError(
      'demo-running',
      `A demo still runs here (process ${alive.join(', ')}). Stop it with Ctrl-C in its terminal, ` +
        `or with: kill ${alive.join(' ')}`,
    )
  }
  await fs.writeFile(demoFolder.processes, '')
  cleanUp.defer(() => fs.rm(demoFolder.processes, { force: true }))
  await recordProcess(process.pid)
}

/** Remembers a process that must have ended before another demo may use the folder. */
export const recordProcess = async (pid: number): Promise<void> => {
  await fs.appendFile(demoFolder.processes, `${pid}\n`)
}
