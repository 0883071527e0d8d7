/** The trees on which tests run: prepared on the base, then the proposal's, then with the base's tests. */
import { createReadStream } from 'node:fs'
import type { CommitId } from '../../server/protocol/ids.ts'
import { users } from '../engine/specs/users.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { cloneBase } from './clone.ts'
import type { Container } from './container.ts'
import { repoFolder, sandboxEnvironment } from './environment.ts'
import { type Program, runCaptured } from './program.ts'
import { runInRepo } from './repo-command.ts'
import type { StepLog } from './step-log.ts'
import { forgeHost, openWire } from './wire.ts'

/** Clones the base and runs its setup, with the wire; when it has resolved, the wire is gone. */
export const prepareBase = async (
  attempt: Attempt,
  container: Container,
  log: StepLog,
  signal: AbortSignal,
): Promise<void> => {
  const { spec } = attempt
  await using _wire = await openWire(attempt, container, {
    allow: [forgeHost(spec), ...spec.allow],
    step: 'verify',
    signal,
  })
  await cloneBase(attempt, container, log, signal)
  if (spec.setup === null) return
  const exit = await runInRepo(attempt, container, log, spec.setup, signal)
  if (exit !== 0) throw new AttemptFailure('setup-failed', `The setup command ended with ${exit}.`)
}

/** Brings the proposal in from the attempt's pack. */
export const checkOutProposal = async (
  attempt: Attempt,
  container: Container,
  head: CommitId,
  signal: AbortSignal,
): Promise<void> => {
  const input = createReadStream(attempt.folder.pack)
  await runGit(attempt, container, { argv: ['git', 'index-pack', '--fix-thin', '--stdin'], input }, signal)
  await runGit(
    attempt,
    container,
    { argv: ['git', 'checkout', '--quiet', '--force', '--detach', head] },
    signal,
  )
}

/** $1 the base, the rest paths. Exit 3: the base has none of them. */
const layOver = `base=$1; shift; found=3
git rm -r --quiet --force --ignore-unmatch -- "$@" || exit
for path do
  if [ -n "$(git ls-tree "$base" -- "$path")" ]; then
    git checkout --quiet "$base" -- "$path" || exit
    found=0
  fi
done
exit $found`

/** Puts the base's versions of the paths in the place of the proposal's. */
export const layBaseTestsOver = async (
  attempt: Attempt,
  container: Container,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<void> => {
  const argv = ['sh', '-c', layOver, 'sh', attempt.spec.base.commit, ...paths]
  await runGit(attempt, container, { argv }, signal)
}

const runGit = async (
  attempt: Attempt,
  container: Container,
  program: Pick<Program, 'argv' | 'input'>,
  signal: AbortSignal,
): Promise<void> => {
  const env = { ...sandboxEnvironment(attempt.spec), LC_ALL: 'C', GIT_LITERAL_PATHSPECS: '1' }
  const asAgent = { user: users.agent, cwd: repoFolder, env }
  const { exit, err } = await runCaptured(attempt, container, { ...program, ...asAgent }, signal)
  if (exit === 3) throw new AttemptFailure('agent-error', 'The base has none of the declared test paths.')
  if (exit !== 0) throw new AttemptFailure('agent-error', err.trim() || `git ended with ${exit}.`)
}
