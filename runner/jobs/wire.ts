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

type WireOptions = {
  readonly allow: readonly AllowedHost[]
  /** Under whose log it is said when the wire ends too early. */
  readonly step: Step
  readonly signal: AbortSignal
}

/**
 * Starts the wire's program and serves it. When this has resolved, programs can use it. Disposing of it, and the signal,
 * reset every connection. If it ends before that, the container has no network any more, and the log says so.
 */
export const openWire = async (
  { runner, events }: Attempt,
  container: Container,
  { allow, step, signal }: WireOptions,
): Promise<AsyncDisposable> => {
  signal.throwIfAborted()
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
  const say = (sentence: string): void => {
    events.append({ type: 'log', step, stream: 'err', text: `${sentence}\n` })
  }
  let closing = false
  const close = (): void => {
    closing = true
    session.close()
  }
  signal.addEventListener('abort', close, { once: true })
  const sealed = session.closed.then((why) => {
    signal.removeEventListener('abort', close)
    if (!closing) say(`The wire ended (${why}). The sandbox has no network from here on.`)
  })
  try {
    await session.ready
  } catch (error) {
    await sealed
    signal.throwIfAborted()
    const message = 'The wire did not start: the image must be made from the sandbox image.'
    say(message)
    throw new AttemptFailure('engine-error', message, { cause: error })
  }
  return {
    [Symbol.asyncDispose]: async () => {
      close()
      await sealed
    },
  }
}
