/** Programs in a container, with their output kept or logged. */
import type { Output } from '../engine/demultiplex.ts'
import { type Command, type RunOptions, runExec } from '../engine/exec.ts'
import type { Attempt } from './attempt.ts'
import type { Container } from './container.ts'
import type { StepLog } from './step-log.ts'

export type Program = Command & { readonly input?: NonNullable<RunOptions['input']> }

/** Runs a program; what it prints goes to the log. Resolves to its exit code. */
export const runLogged = (
  { runner }: Attempt,
  container: Container,
  log: StepLog,
  { input = [], ...command }: Program,
  signal: AbortSignal,
): Promise<number | null> =>
  runExec(runner.engine, container.id, command, { input, signal, onOutput: log.write })

export type Captured = { readonly exit: number | null; readonly out: string; readonly err: string }

/** The most that is kept of each stream. The rest is read and dropped. */
const keptBytes = 64 * 1024

/** Runs a program of the product's own, which prints little; keeps it. */
export const runCaptured = async (
  { runner }: Attempt,
  container: Container,
  { input = [], ...command }: Program,
  signal: AbortSignal,
): Promise<Captured> => {
  const kept = { out: Buffer.alloc(0), err: Buffer.alloc(0) }
  const onOutput = ({ stream, bytes }: Output): void => {
    kept[stream] = Buffer.concat([kept[stream], bytes.subarray(0, keptBytes - kept[stream].length)])
  }
  const exit = await runExec(runner.engine, container.id, command, { input, signal, onOutput })
  return { exit, out: kept.out.toString(), err: kept.err.toString() }
}
