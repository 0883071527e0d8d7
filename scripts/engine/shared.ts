import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { step } from '../progress.ts'
import { SetUpError } from '../set-up-error.ts'
import type { EngineAddress } from './address.ts'
import { isDaemon, spawnDaemon, stopDaemon } from './daemon.ts'
import { listLabelled } from './labelled.ts'
import { findDaemon, forget, type Lease, leave, recordDaemon } from './lease.ts'
import { ping } from './ping.ts'

const startDeadlineMs = 60_000

/** Starts the engine, or waits for the one that another run is just starting, until it answers. */
export const startShared = async (
  lease: Lease,
  dockerd: string,
  address: EngineAddress,
  signal: AbortSignal,
): Promise<void> => {
  const logFile = path.join(lease.folder, 'dockerd.log')
  const pid = (await findDaemon(lease)) ?? (await spawnDaemon(dockerd, logFile))
  await recordDaemon(lease, pid)
  const deadline = performance.now() + startDeadlineMs
  while ((await ping(address)).kind !== 'answers') {
    await delay(100, undefined, { signal })
    if (performance.now() < deadline && (await isDaemon(pid))) continue
    const log = await fs.readFile(logFile, 'utf8').catch(() => '')
    const end = log.trim().split('\n').slice(-12).join('\n')
    throw new SetUpError('engine-start-failed', `The container engine (${dockerd}) did not start:\n${end}`)
  }
}

/** Ends this run's use of the engine; stops the engine if it was ours and nobody else uses it. */
export const leaveShared = async (lease: Lease, address: EngineAddress): Promise<void> => {
  const others = await leave(lease)
  if (others > 0) return
  const pid = await findDaemon(lease)
  if (pid !== null) {
    const running = (await listLabelled(address).catch(() => [])).filter((each) => each.running)
    if (running.length > 0) {
      console.log(`The container engine stays up: ${running.length} containers of Agent Workspace still run.`)
      return
    }
    await step('Stopping the container engine', () => stopDaemon(pid))
  }
  await forget(lease)
}
