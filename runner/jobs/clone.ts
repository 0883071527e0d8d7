/** The base of the job in a sandbox: cloned from the forge over the wire, by the agent's user, with no secret. */
import { workFolder } from '../engine/specs/seal.ts'
import { users } from '../engine/specs/users.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Container } from './container.ts'
import { proxy, repoFolder, sandboxEnvironment } from './environment.ts'
import { classifyGitFailure } from './git-failure.ts'
import { type Captured, type Program, runCaptured } from './program.ts'
import { retry } from './retry.ts'
import type { StepLog } from './step-log.ts'

const authorityFile = `${workFolder}/forge-ca.pem`

/** $1 object format, $2 URL, $3 proxy, $4 file for the certificate on stdin, or nothing. */
const prepare = `set -e
mkdir home tmp
git init --quiet --initial-branch=base --object-format="$1" repo
cd repo
git remote add origin "$2"
git config http.proxy "$3"
git config http.lowSpeedLimit 1
git config http.lowSpeedTime 60
if [ -n "$4" ]; then cat >"$4"; git config http.sslCAInfo "$4"; fi`

const fetch = ['git', '-c', 'gc.auto=0', 'fetch', '--quiet', '--no-recurse-submodules', '--tags', 'origin']

/**
 * Puts the base commit, detached, into the repository folder, with the forge's branches and tags. Tries
 * again while the forge cannot be reached. Rejects with `clone-failed`, or with the signal's reason.
 */
export const cloneBase = async (
  attempt: Attempt,
  container: Container,
  log: StepLog,
  signal: AbortSignal,
): Promise<void> => {
  const { forge, repo, base } = attempt.spec
  const format = base.commit.length === 64 ? 'sha256' : 'sha1'
  const authority = forge.ca === null ? '' : authorityFile
  const run = (argv: readonly string[], rest: Partial<Program> = {}): Promise<Captured> =>
    runCaptured(attempt, container, { ...asAgent(attempt), argv, ...rest }, signal)

  const prepared = await run(
    ['sh', '-c', prepare, 'sh', format, `${forge.url}/${repo}.git`, proxy, authority],
    {
      cwd: workFolder,
      input: [forge.ca ?? ''],
    },
  )
  if (prepared.exit !== 0) throw cloneFailure(prepared)

  await retry(signal, async () => {
    const fetched = await run([...fetch, '+refs/heads/*:refs/remotes/origin/*', base.commit])
    if (fetched.exit === 0) return true
    if (classifyGitFailure(fetched.err) !== 'transport') throw cloneFailure(fetched)
    log.say(`${fetched.err.trim()}\nThe forge cannot be reached now; trying again.`)
    return undefined
  })

  const checkedOut = await run(['git', 'checkout', '--quiet', '--detach', base.commit])
  if (checkedOut.exit !== 0) throw cloneFailure(checkedOut)
}

const asAgent = ({ spec }: Attempt) => ({
  user: users.agent,
  cwd: repoFolder,
  env: { ...sandboxEnvironment(spec), LC_ALL: 'C' },
})

const cloneFailure = ({ err }: Captured): AttemptFailure =>
  new AttemptFailure('clone-failed', err.trim() || 'git ended without a word.')
