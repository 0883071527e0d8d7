/** The only way out of a container, opened by the runner. */
import type { AllowedHost, AttemptSpec, Step } from '../../server/protocol/runner.ts'
import { explain } from '../egress/decision.ts'
import { serveWire } from '../egress/wire-session.ts'
import { execAsDuplex, startExec } from '../engine/exec.ts'
import { users } from '../engine/specs/users.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Container } from './container.ts'
import { toolEnvironment, wirePort } from './environment.ts'

/**
 * The forge, as an entry of the allow-list. It may have a private address: the owner's own configuration
 * names it. Plain HTTP is refused here, before anything is started.
 */
export const forgeHost = ({ forge }: AttemptSpec): AllowedHost => {
  const { protocol, hostname, port } = new URL(forge.url)
  if (protocol !== 'https:')
    throw new AttemptFailure(
      'clone-failed',
      `The forge's URL is ${forge.url}, and a sandbox speaks only HTTPS: set PUBLIC_URL to an https URL.`,
    )
  return { host: hostname, port: Number(port || 443), privateAddress: true }
}

/**
 * Starts the wire's program and serves it. When this has resolved, programs can use it. Disposing of it
 * resets every connection. If it ends before that, the container has no network any more, and the log says so.
 */
export const openWire = async (
  { runner, events }: Attempt,
  container: Container,
  { allow, step }: { readonly allow: readonly AllowedHost[]; readonly step: Step },
): Promise<AsyncDisposable> => {
  const exec = await startExec(runner.engine, container.id, {
    argv: ['/usr/local/bin/node', '/opt/agent-workspace/wire.ts', String(wirePort)],
    user: users.wire,
    cwd: '/',
    env: toolEnvironment('/'),
  })
  const session = serveWire(execAsDuplex(exec), {
    allow,
    onDecision: ({ host, port, allowed, why }) =>
      events.append({ type: 'egress', host, port, allowed, why: explain(why) }),
  })
  await session.ready.catch((error: unknown) => {
    const message = 'The wire did not start: the image must be made from the sandbox image.'
    throw new AttemptFailure('engine-error', message, { cause: error })
  })
  let closing = false
  const sealed = session.closed.then((why) => {
    if (closing) return
    const text = `The wire ended (${why}). The sandbox has no network from here on.\n`
    events.append({ type: 'log', step, stream: 'err', text })
  })
  return {
    [Symbol.asyncDispose]: async () => {
      closing = true
      session.close()
      await sealed
    },
  }
}
