/** Runs one program of the owner's beside a push: with its input and environment, an end, and no way to the forge. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { openOutputLines } from './output-lines.ts'

/** How long it may take to end once it has been asked to. */
const graceMs = 2000
/** How long what it left in the background may still write. */
const drainMs = 500

export type Run = Readonly<{
  file: string
  cwd: string
  env: Readonly<Record<string, string>>
  input: string
  limitMs: number
  /** Fires when the push is over. */
  over: AbortSignal
  say: (line: string) => Promise<void>
}>

/** It has a process group of its own, which ends with it where it has to be made to. */
const endGroup = ({ pid }: ChildProcess, signal: NodeJS.Signals): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch {
    // Nothing of it is left.
  }
}

const pass = async (child: ChildProcess, say: Run['say']): Promise<void> => {
  const lines = openOutputLines()
  for await (const chunk of (child.stdout ?? []) as AsyncIterable<Buffer>) {
    for (const line of lines.take(chunk)) await say(line)
  }
  for (const line of lines.end()) await say(line)
}

const describe = (code: number | null, signal: NodeJS.Signals | null): string | null => {
  if (code === 0) return null
  return code === null ? `was ended by ${signal}` : `ended with ${code}`
}

/**
 * Runs it to its end, its lines going to `say` as they come. Resolves with null for an exit of 0, else with what
 * happened, as a sentence's end. Its standard output and error are one stream, so that lines keep their order.
 */
export const runProgram = async ({
  file,
  cwd,
  env,
  input,
  limitMs,
  over,
  say,
}: Run): Promise<string | null> => {
  const child = spawn('/bin/sh', ['-c', 'exec "$0" 2>&1', file], {
    cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const stopped = AbortSignal.any([over, AbortSignal.timeout(limitMs)])
  let kill: NodeJS.Timeout | undefined
  const stop = (): void => {
    endGroup(child, 'SIGTERM')
    kill = setTimeout(() => endGroup(child, 'SIGKILL'), graceMs)
  }
  stopped.addEventListener('abort', stop)
  // Not every program reads its input.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(input)
  const passed = pass(child, say).catch(() => undefined)
  try {
    if (stopped.aborted) stop()
    const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
    await Promise.race([passed, wait(drainMs, undefined, { ref: false })])
    if (over.aborted) return 'was ended with the push'
    return stopped.aborted ? `took longer than ${limitMs / 1000} seconds` : describe(code, signal)
  } catch {
    return 'could not be started'
  } finally {
    stopped.removeEventListener('abort', stop)
    if (stopped.aborted) endGroup(child, 'SIGKILL')
    clearTimeout(kill)
    child.stdout?.destroy()
  }
}
