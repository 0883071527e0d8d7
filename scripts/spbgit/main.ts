/** The command `spbgit`: arguments in, exit code out. */
import os from 'node:os'
import { CommanderError } from 'commander'
import manifest from '../../package.json' with { type: 'json' }
import { credentialsPath } from './credentials.ts'
import { type ExitCode, exitCode } from './exit-code.ts'
import { Failure } from './failure.ts'
import { createProgram } from './syntax/program.ts'
import { createOutput, type Output } from './terminal/output.ts'

/** Says what went wrong, unless commander has, and tells the exit code for it. */
const report = (error: unknown, output: Output): ExitCode | 0 => {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : exitCode.usage
  output.say(`spbgit: ${error instanceof Error ? error.message : String(error)}`, 'red')
  return error instanceof Failure ? error.exit : exitCode.failed
}

/** A reader that has gone, as in `spbgit … | head`, is no fault: end as SIGPIPE would. */
const exitWhenUnread = (error: NodeJS.ErrnoException): never => process.exit(error.code === 'EPIPE' ? 141 : 1)

process.stdout.on('error', exitWhenUnread)
process.stderr.on('error', exitWhenUnread)

const output = createOutput(process.stdout, process.stderr, process.env['TERM'])
const credentialsFile = credentialsPath(process.env, os.homedir())
try {
  await createProgram({ output, credentialsFile }, manifest.version).parseAsync()
} catch (error) {
  process.exitCode = report(error, output)
}
