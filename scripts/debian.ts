import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'
import { systemPath } from './machine.ts'
import { step } from './progress.ts'
import { SetUpError } from './set-up-error.ts'

/**
 * Installs packages of Debian's, after saying which and why. They stay.
 * For root on Debian or Ubuntu only; waits up to five minutes for another apt to finish.
 */
export const installPackages = async (
  packages: readonly [string, ...string[]],
  why: string,
  signal: AbortSignal,
): Promise<void> => {
  const names = packages.join(', ')
  console.log(`This machine lacks ${why}. Installing from Debian's archive: ${names}. They stay installed.`)
  await step(`Installing ${names}`, async (say) => {
    say('reading the package lists')
    await aptGet(['update'], signal)
    say('downloading and unpacking')
    await aptGet(['install', '--yes', '--no-install-recommends', ...packages], signal)
  })
}

const aptGet = async (args: readonly string[], signal: AbortSignal): Promise<void> => {
  try {
    await promisify(execFile)('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
      env: { ...process.env, PATH: systemPath, DEBIAN_FRONTEND: 'noninteractive' },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 20 * 60_000,
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    const said = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : String(error)
    const command = `apt-get ${args.join(' ')}`
    throw new SetUpError('install-failed', `"${command}" failed:\n${said.slice(-2000)}`, { cause: error })
  }
}
