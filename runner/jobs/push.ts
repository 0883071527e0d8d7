/** The proposal's way to the forge: a courier with a token, in a container where nothing of the agent's runs. */
import { createReadStream } from 'node:fs'
import type { CommitId } from '../../server/protocol/ids.ts'
import { proposalRef } from '../../server/protocol/refs.ts'
import { planCourier } from '../engine/specs/container-plan.ts'
import { scratchFolder } from '../engine/specs/seal.ts'
import { users } from '../engine/specs/users.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { attemptMs } from './clock.ts'
import { type Container, openContainer } from './container.ts'
import { proxy, toolEnvironment } from './environment.ts'
import { classifyGitFailure } from './git-failure.ts'
import { type Captured, runCaptured } from './program.ts'
import { retry } from './retry.ts'
import { inStep } from './step.ts'
import type { StepLog } from './step-log.ts'
import { forgeHost, openWire } from './wire.ts'

/** Pushes the commit, with the base's history from the forge and the rest from the attempt's pack. */
export const push = (attempt: Attempt, head: CommitId): Promise<void> =>
  inStep(attempt, 'push', async (log) => {
    const { runner, spec } = attempt
    const plan = planCourier({ runner: runner.id, spec }, runner.sandboxImage, attemptMs(spec))
    await using container = await openContainer(attempt, plan)
    await using _wire = await openWire(attempt, container, {
      allow: [forgeHost(spec)],
      step: 'push',
      signal: attempt.signal,
    })
    const run = courier(attempt, container)
    await prepare(attempt, run)
    await fetchBase(attempt, run, log)
    await takeObjects(attempt, run, head)
    await send(attempt, run, log, head)
    attempt.events.append({ type: 'pushed', ref: proposalRef(spec.job), commit: head })
    return { exit: 0, result: undefined }
  })

type Run = (argv: readonly string[], input?: AsyncIterable<Buffer> | readonly string[]) => Promise<Captured>

const authorityFile = `${scratchFolder}/forge-ca.pem`

const courier =
  (attempt: Attempt, container: Container): Run =>
  (argv, input = []) => {
    const command = { argv, user: users.courier, cwd: scratchFolder, env: toolEnvironment(scratchFolder) }
    return runCaptured(attempt, container, { ...command, input }, attempt.signal)
  }

/** $1 object format, $2 URL, $3 proxy, $4 file for the certificate on stdin, or nothing. */
const prepareScript = `set -e
git init --quiet --bare --object-format="$1" .
git remote add origin "$2"
git config http.proxy "$3"
git config http.lowSpeedLimit 1
git config http.lowSpeedTime 60
if [ -n "$4" ]; then cat >"$4"; git config http.sslCAInfo "$4"; fi`

const prepare = async ({ spec }: Attempt, run: Run): Promise<void> => {
  const { forge, repo, base } = spec
  const format = base.commit.length === 64 ? 'sha256' : 'sha1'
  const authority = forge.ca === null ? '' : authorityFile
  const url = `${forge.url}/${repo}.git`
  const done = await run(['sh', '-c', prepareScript, 'sh', format, url, proxy, authority], [forge.ca ?? ''])
  if (done.exit !== 0) throw refusal(done)
}

/** The branches too, so that the push need not send what the forge has on them. */
const fetchBase = ({ spec, signal }: Attempt, run: Run, log: StepLog): Promise<true> =>
  retry(signal, async () => {
    const refs = ['+refs/heads/*:refs/remotes/origin/*', `${spec.base.commit}:refs/base`]
    const done = await run(['git', '-c', 'gc.auto=0', 'fetch', '--quiet', '--no-tags', 'origin', ...refs])
    if (done.exit === 0) return true
    if (classifyGitFailure(done.err) !== 'transport') throw refusal(done)
    log.say(`${done.err.trim()}\nThe forge cannot be reached now; trying again.`)
    return undefined
  })

/**
 * Takes the pack in, every object checked (a fetch from a bundle would not check them), and sees that the
 * history is whole and follows the base that the forge has, whatever the agent's repository said.
 */
const takeObjects = async ({ spec, folder }: Attempt, run: Run, head: CommitId): Promise<void> => {
  const checks: [readonly string[], AsyncIterable<Buffer>?][] = [
    [['git', 'index-pack', '--strict', '--fix-thin', '--stdin'], createReadStream(folder.pack)],
    [['git', 'merge-base', '--is-ancestor', spec.base.commit, head]],
    [['git', 'rev-list', '--quiet', '--objects', head, '--not', '--all']],
  ]
  for (const [argv, input] of checks) {
    const done = await run(argv, input)
    if (done.exit !== 0)
      throw new AttemptFailure('collect-failed', done.err.trim() || 'The proposal does not follow its base.')
  }
}

/** The credential helper reads the token from a pipe: it is in no argument, no environment and no file. */
const sendScript = `exec 3<&0 </dev/null
exec git -c credential.helper= -c credential.helper='!f() { test "$1" = get && cat <&3; }; f' \\
  push --porcelain origin "+$1:$2"`

const send = async (
  { spec, tokens, signal }: Attempt,
  run: Run,
  log: StepLog,
  head: CommitId,
): Promise<void> => {
  let refused: string | null = null
  await retry(signal, async () => {
    const token: string = await tokens.take(refused, signal)
    const ref = proposalRef(spec.job)
    const done = await run(['sh', '-c', sendScript, 'sh', head, ref], [`username=job\npassword=${token}\n`])
    const said = `${done.err}${done.out}`.replaceAll(token, '[token]').trim()
    log.say(said)
    if (done.exit === 0) return true
    switch (classifyGitFailure(said)) {
      case 'transport':
        return undefined
      case 'unauthorized':
        refused = token
        return undefined
      case 'final':
        throw new AttemptFailure('push-refused', 'The forge refused the proposal.')
    }
  })
}

const refusal = ({ err }: Captured): AttemptFailure =>
  new AttemptFailure('push-refused', err.trim() || 'git ended without a word.')
