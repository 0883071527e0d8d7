import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { step } from '../progress.ts'
import { SetUpError } from '../set-up-error.ts'
import { demoFolder, recordProcess } from './folder.ts'

/** Longer than a runner needs to remove its containers. */
const stopDeadlineMs = 60_000

/**
 * Starts an entry of ours under this Node, in a session of its own, so that Ctrl-C does not reach it out of
 * order. It is stopped when `cleanUp` is disposed, by force after a minute. The signal aborts when the
 * process ends; its reason has the end of the log.
 */
export const startPart = async (
  name: string,
  entry: string,
  env: Record<string, string>,
  cleanUp: AsyncDisposableStack,
): Promise<AbortSignal> => {
  const logFile = path.join(demoFolder.root, `${name}.log`)
  const log = await fs.open(logFile, 'w', 0o600)
  const child = spawn(process.execPath, [path.resolve(import.meta.dirname, '../..', entry)], {
    cwd: demoFolder.root,
    env: { ...process.env, ...env },
    detached: true,
    stdio: ['ignore', log.fd, log.fd],
  })
  try {
    await once(child, 'spawn')
  } finally {
    await log.close()
  }
  cleanUp.defer(() => stop(name, child))
  if (child.pid !== undefined) await recordProcess(child.pid)
  const ended = new AbortController()
  child.once('exit', () => ended.abort(endOf(name, logFile)))
  return ended.signal
}

const endOf = (name: string, logFile: string): SetUpError => {
  const lines = readFileSync(logFile, 'utf8').trim().split('\n').slice(-10)
  return new SetUpError('demo-failed', `The ${name} has ended. Its last words:\n${lines.join('\n')}`)
}

const stop = async (name: string, child: ChildProcess): Promise<void> => {
  if (child.exitCode !== null || child.signalCode !== null) return
  await step(`Stopping the ${name}`, async () => {
    const exited = once(child, 'exit')
    child.kill('SIGTERM')
    const force = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs)
    await exited
    clearTimeout(force)
  })
}
