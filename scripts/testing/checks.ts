import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { step } from '../progress.ts'
import { add, nothing, oneFailed, onePassed, type Tally } from './tally.ts'

const root = path.resolve(import.meta.dirname, '../..')
const checks = [
  ['biome', 'check', '.'],
  ['oxlint', '--type-aware'],
  ['tsc'],
  ['tsc', '-p', 'views/browser'],
  ['knip'],
] as const

/** Runs every check over the whole source. Prints a line for each, and all that a failing one says. */
export const runChecks = async (env: NodeJS.ProcessEnv, signal: AbortSignal): Promise<Tally> => {
  const run = (command: (typeof checks)[number]) => runCheck(command, env, signal)
  const results = await step('Checking the source', () => Promise.all(checks.map(run)))
  for (const { command, output } of results) {
    console.log(`${output === null ? '✓' : '✗'} ${command.join(' ')}`)
    if (output !== null) console.log(output.replace(/^/gm, '    '))
  }
  return add(nothing, ...results.map(({ output }) => (output === null ? onePassed : oneFailed)))
}

/** `output` is null where the check found nothing. */
const runCheck = async (command: (typeof checks)[number], env: NodeJS.ProcessEnv, signal: AbortSignal) => {
  const [program, ...args] = command
  const options = { cwd: root, env, signal, maxBuffer: 64 * 1024 * 1024, timeout: 10 * 60_000 }
  try {
    await promisify(execFile)(program, args, options)
    return { command, output: null }
  } catch (error) {
    signal.throwIfAborted()
    const said = error instanceof Error && 'stdout' in error && 'stderr' in error ? error : null
    return { command, output: said === null ? String(error) : `${String(said.stdout)}${String(said.stderr)}` }
  }
}
