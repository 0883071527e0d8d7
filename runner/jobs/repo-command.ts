/** Shell commands in the repository: its setup, its tests, and the agent itself. */
import { users } from '../engine/specs/users.ts'
import type { Attempt } from './attempt.ts'
import type { Container } from './container.ts'
import { repoFolder, sandboxEnvironment } from './environment.ts'
import { runLogged } from './program.ts'
import type { StepLog } from './step-log.ts'

/** Runs a shell command in the repository as the agent's user. Resolves to its exit code. */
export const runInRepo = (
  attempt: Attempt,
  container: Container,
  log: StepLog,
  command: string,
  signal: AbortSignal,
): Promise<number | null> =>
  runLogged(
    attempt,
    container,
    log,
    {
      argv: ['/bin/sh', '-c', command],
      user: users.agent,
      cwd: repoFolder,
      env: sandboxEnvironment(attempt.spec),
    },
    signal,
  )
