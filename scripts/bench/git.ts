import { execFile } from 'node:child_process'
import process from 'node:process'
import { promisify } from 'node:util'

/** Runs a real git that knows nothing of this machine's settings. Rejects when git fails. */
export const runGit = async (args: readonly string[], cwd: string, signal: AbortSignal): Promise<string> => {
  const { stdout } = await promisify(execFile)('git', args, {
    cwd,
    signal,
    maxBuffer: 64 * 1024 * 1024,
    env: {
      PATH: process.env['PATH'] ?? '/usr/bin:/bin',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      // Both servers have certificates of their own; what is measured is the same for both.
      GIT_SSL_NO_VERIFY: '1',
      GIT_AUTHOR_NAME: 'Bench',
      GIT_AUTHOR_EMAIL: 'bench@example.org',
      GIT_COMMITTER_NAME: 'Bench',
      GIT_COMMITTER_EMAIL: 'bench@example.org',
    },
  })
  return stdout.trim()
}
