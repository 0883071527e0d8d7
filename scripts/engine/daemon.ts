import { spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import process from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { systemPath } from '../machine.ts'
import { SetUpError } from '../set-up-error.ts'

const stopDeadlineMs = 60_000

/**
 * Starts Debian's `dockerd` with its usual socket and data folder, in a session of its own, so that Ctrl-C
 * does not reach it before the containers are gone. Returns its process id at once; it may not answer yet.
 */
export const spawnDaemon = async (dockerd: string, logFile: string): Promise<number> => {
  const log = await fs.open(logFile, 'a', 0o600)
  try {
    const env = { ...process.env, PATH: systemPath }
    const child = spawn(dockerd, [], { detached: true, env, stdio: ['ignore', log.fd, log.fd] })
    await once(child, 'spawn')
    child.unref()
    if (child.pid === undefined) throw new SetUpError('engine-start-failed', `${dockerd} got no process id.`)
    return child.pid
  } finally {
    await log.close()
  }
}

/**
 * Ends a `dockerd` and with it the containerd that it started; waits until both are gone, a minute at most,
 * before it ends them by force.
 */
export const stopDaemon = async (pid: number): Promise<void> => {
  const containerd = await findContainerd(pid)
  process.kill(pid, 'SIGTERM')
  for (const each of [pid, ...containerd]) {
    if (!(await waitUntilGone(each))) process.kill(each, 'SIGKILL')
  }
}

/** Whether this process id still belongs to a `dockerd`, and not to whatever got the number after it. */
export const isDaemon = async (pid: number): Promise<boolean> => (await readName(pid)) === 'dockerd'

const waitUntilGone = async (pid: number): Promise<boolean> => {
  const deadline = performance.now() + stopDeadlineMs
  while (performance.now() < deadline) {
    if ((await readName(pid)) === null) return true
    await delay(100)
  }
  return false
}

const findContainerd = async (parent: number): Promise<number[]> => {
  const children = await fs.readFile(`/proc/${parent}/task/${parent}/children`, 'utf8').catch(() => '')
  const found: number[] = []
  for (const child of children.split(' ').filter(Boolean).map(Number))
    if ((await readName(child)) === 'containerd') found.push(child)
  return found
}

/** The name of a running process; null when it is gone or only waits to be collected by its parent. */
const readName = async (pid: number): Promise<string | null> => {
  const status = await fs.readFile(`/proc/${pid}/status`, 'utf8').catch(() => '')
  if (/^State:\s+[ZX]/m.test(status)) return null
  return /^Name:\s+(\S+)/m.exec(status)?.[1] ?? null
}
