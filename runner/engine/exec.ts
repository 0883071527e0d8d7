/** Programs started in a container. */
import { once } from 'node:events'
import { Duplex } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { z } from 'zod'
import { callEngine } from './call.ts'
import { demultiplex, type Output } from './demultiplex.ts'
import type { Engine } from './engine.ts'
import type { User } from './specs/users.ts'

export type Environment = Readonly<Record<string, string>>

export type Command = {
  readonly argv: readonly string[]
  readonly user: User
  /** An absolute path that exists in the container. */
  readonly cwd: string
  /** All of the environment: nothing of the image's or the engine's is added. */
  readonly env: Environment
}

export type Exec = {
  /** The program's stdin. Ending it ends the program's input. */
  readonly stdin: Duplex
  /** What the program prints. Ends with the program. One reader; unread output stops the program. */
  readonly output: AsyncIterable<Output>
  /** The exit code, after `output` has ended. null where the engine does not know it. */
  readonly exit: () => Promise<number | null>
  /** Hangs up. The program itself ends only with its container. */
  readonly hangUp: () => void
}

const inspected = z.object({ Running: z.boolean(), ExitCode: z.int().nullable() })
const exitPolls = 100
const exitPollMs = 50

/**
 * The command as the engine is asked to start it. `env -i`, because the engine adds to an exec whatever ENV
 * the image declares. A value is seen in the argument list for a moment, so none is ever a secret.
 */
export const execArgv = ({ argv, env }: Command): string[] => [
  '/usr/bin/env',
  '-i',
  ...Object.entries(env).map(([name, value]) => `${name}=${value}`),
  ...argv,
]

/** Starts the command. */
export const startExec = async (engine: Engine, containerId: string, command: Command): Promise<Exec> => {
  const exec = await callEngine('prepare a program', (abortSignal) =>
    engine.getContainer(containerId).exec({
      Cmd: execArgv(command),
      User: command.user,
      WorkingDir: command.cwd,
      AttachStdin: true,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      Privileged: false,
      // Otherwise a program that is given these two bytes in its input is detached.
      DetachKeys: 'ctrl-@,ctrl-^,ctrl-@,ctrl-_,ctrl-@,ctrl-^',
      abortSignal,
    }),
  )
  const started = exec.start({ hijack: true, stdin: true, Detach: false, Tty: false })
  const stdin = await callEngine('start a program', () => started).catch((error: unknown) => {
    started.then((late) => late.destroy()).catch(() => {})
    throw error
  })
  // The reader of `output` gets the error; without a listener it would end the process.
  stdin.on('error', () => {})
  return {
    stdin,
    output: demultiplex(stdin),
    exit: async () => {
      for (let poll = 0; poll < exitPolls; poll += 1) {
        const state = inspected.parse(
          await callEngine('tell how a program ended', (abortSignal) => exec.inspect({ abortSignal })),
        )
        if (!state.Running) return state.ExitCode
        await delay(exitPollMs)
      }
      return null
    },
    hangUp: () => stdin.destroy(),
  }
}

export type RunOptions = {
  readonly input?: AsyncIterable<Buffer | string> | Iterable<Buffer | string>
  /** Called for each piece, one after the other; the program waits for it. */
  readonly onOutput: (output: Output) => Promise<void> | void
  /** When it aborts, the run rejects with its reason. The caller then removes the container. */
  readonly signal: AbortSignal
}

/** Runs the command to its end. Resolves to the exit code. */
export const runExec = async (
  engine: Engine,
  containerId: string,
  command: Command,
  { input = [], onOutput, signal }: RunOptions,
): Promise<number | null> => {
  signal.throwIfAborted()
  const exec = await startExec(engine, containerId, command)
  const closed = new Promise<void>((resolve) => exec.stdin.once('close', resolve))
  signal.addEventListener('abort', exec.hangUp, { once: true })
  try {
    if (signal.aborted) exec.hangUp()
    const sent = sendInput(exec.stdin, input)
    await Promise.all([Promise.race([sent, closed]), takeOutput(exec.output, onOutput)])
    signal.throwIfAborted()
    return await exec.exit()
  } catch (error) {
    signal.throwIfAborted()
    throw error
  } finally {
    signal.removeEventListener('abort', exec.hangUp)
    exec.hangUp()
  }
}

/**
 * A program may end without reading its input to the end: how it ended says what that meant. Not by
 * `pipeline`, which waits for ever when the program ends between the last byte and the input's end (24.21).
 */
const sendInput = async (stdin: Duplex, input: RunOptions['input'] & {}): Promise<void> => {
  for await (const piece of input) {
    if (stdin.destroyed || stdin.writableEnded) return
    if (!stdin.write(piece)) await roomIn(stdin)
  }
  stdin.end()
}

/** Resolves when the stream takes more, or never will. Leaves no listener behind: a pack waits a thousand times. */
const roomIn = async (stream: Duplex): Promise<void> => {
  const settled = new AbortController()
  const { signal } = settled
  const room = [once(stream, 'drain', { signal }), once(stream, 'close', { signal })]
  await Promise.race(room).catch(() => undefined)
  settled.abort()
}

/** The connection also breaks when the program ended before it had read all of its input. */
const takeOutput = async (output: Exec['output'], take: RunOptions['onOutput']): Promise<void> => {
  const source = output[Symbol.asyncIterator]()
  for (;;) {
    const next = await source.next().catch(asEnd)
    if (next.done === true) return
    await take(next.value)
  }
}

const asEnd = (error: unknown): IteratorReturnResult<undefined> => {
  const broken = error instanceof Error && 'code' in error && brokenPipe.has(error.code)
  if (!broken) throw error
  return { done: true, value: undefined }
}

const brokenPipe = new Set<unknown>(['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'])

/** Both directions of the program as one stream; what it prints on stderr is dropped. */
export const execAsDuplex = (exec: Exec): Duplex => {
  const readable = async function* (): AsyncGenerator<Buffer> {
    for await (const { stream, bytes } of exec.output) if (stream === 'out') yield bytes
  }
  return Duplex.from({ readable: readable(), writable: exec.stdin })
}
