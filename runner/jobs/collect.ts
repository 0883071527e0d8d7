/** What the agent left, taken over as data by the collect container. */
import fs from 'node:fs/promises'
import { z } from 'zod'
import { type CommitId, commitId } from '../../server/protocol/ids.ts'
import { salvageMaxBytes } from '../../server/protocol/runner.ts'
import type { Output } from '../engine/demultiplex.ts'
import { runExec } from '../engine/exec.ts'
import { scratchFolder } from '../engine/specs/seal.ts'
import { users } from '../engine/specs/users.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Container } from './container.ts'
import { toolEnvironment } from './environment.ts'
import { runCaptured } from './program.ts'
import type { StepLog } from './step-log.ts'

/** The program prints it; it is read as what a stranger sends. */
const collected = z.object({
  head: commitId,
  commits: z.int().nonnegative(),
  disk: z.object({ usedBytes: z.number().nonnegative(), full: z.boolean() }),
})

export type Work = z.infer<typeof collected>

const collectProgram = (...args: readonly string[]) => ({
  argv: ['/usr/local/bin/node', '/opt/agent-workspace/collect.ts', ...args],
  // Not another user: that one would need a capability to read what the agent made unreadable for others.
  user: users.agent,
  cwd: scratchFolder,
  env: toolEnvironment(scratchFolder),
})

/** Makes one commit of what is not committed. `head` is the base where nothing changed. */
export const commitWork = async (
  attempt: Attempt,
  collector: Container,
  log: StepLog,
  signal: AbortSignal,
): Promise<Work> => {
  const { base, job } = attempt.spec
  // A proposal’s commits are public; the task is not, so it is no part of their message.
  const program = collectProgram('commit', base.commit, `Work of job ${job}`)
  const { exit, out, err } = await runCaptured(attempt, collector, program, signal)
  if (exit !== 0) throw new AttemptFailure('collect-failed', err.trim() || `collect ended with ${exit}.`)
  if (err !== '') log.say(err.trim())
  const work = parseWork(out)
  attempt.used.diskBytes = Math.max(attempt.used.diskBytes, work.disk.usedBytes)
  return work
}

const parseWork = (line: string): Work => {
  try {
    return collected.parse(JSON.parse(line))
  } catch (error) {
    throw new AttemptFailure('collect-failed', 'collect did not say what it found.', { cause: error })
  }
}

/**
 * Writes what the program prints about base..head to a file of the runner's: the objects as a pack, or the
 * difference as a patch. Never more than the sandbox's disk holds, nor a patch that the forge would not take; a file
 * that is there is whole.
 */
export const takeOver = async (
  attempt: Attempt,
  collector: Container,
  what: 'pack' | 'patch',
  head: CommitId,
  signal: AbortSignal,
): Promise<number> => {
  const { runner, spec, folder } = attempt
  const { diskBytes } = spec.limits
  const most = what === 'patch' ? Math.min(diskBytes, salvageMaxBytes) : diskBytes
  const temporary = `${folder[what]}.part`
  let size = 0
  let said = ''
  await using undo = new AsyncDisposableStack()
  undo.defer(() => fs.rm(temporary, { force: true }))
  const file = undo.use(await fs.open(temporary, 'w', 0o600))
  const onOutput = async ({ stream, bytes }: Output): Promise<void> => {
    if (stream === 'err') {
      said = (said + bytes.toString()).slice(0, 4096)
      return
    }
    size += bytes.length
    if (size > most)
      throw new AttemptFailure('collect-failed', `The ${what} is larger than ${most} bytes, and is not kept.`)
    await file.appendFile(bytes)
  }
  const program = collectProgram(what, spec.base.commit, head)
  const exit = await runExec(runner.engine, collector.id, program, { signal, onOutput })
  if (exit !== 0) throw new AttemptFailure('collect-failed', said.trim() || `collect ended with ${exit}.`)
  await fs.rename(temporary, folder[what])
  return size
}
