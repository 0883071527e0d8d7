/** git as a child process, under limits. Nothing else of the forge starts git. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { gitEnvironment } from './environment.ts'
import { openTurns } from './turns.ts'

/** What a child may use: address space and processor time for each process, and time in all. */
export type ChildLimits = Readonly<{ memoryMiB: number; cpuSeconds: number; totalMs: number }>

export const limitsFor = {
  /** upload-pack and its pack-objects. */
  serving: { memoryMiB: 4096, cpuSeconds: 1800, totalMs: 3_600_000 },
  /** receive-pack and its index-pack. */
  receiving: { memoryMiB: 2048, cpuSeconds: 1800, totalMs: 3_600_000 },
  /** Whatever reads a repository for a page or a decision. */
  reading: { memoryMiB: 1024, cpuSeconds: 60, totalMs: 120_000 },
} as const satisfies Record<string, ChildLimits>

export type GitChild = Readonly<{
  stdin: Writable
  stdout: Readable
  stderr: Readable
  /** The hook line: what hooks write, and what they read. Null where no hook runs. */
  fromHook: Readable | null
  toHook: Writable | null
  /** Resolves when the process has ended and its output is closed. null: it was killed. */
  ended: Promise<number | null>
  /** Asks the whole process group to end (git then removes its temporary files), and makes it after a grace time. */
  end(): void
}>

/** macOS knows no limit of address space; there the entry and time limits stand alone. */
const underLimits = ({ memoryMiB, cpuSeconds }: ChildLimits): string =>
  process.platform === 'linux'
    ? `ulimit -v ${memoryMiB * 1024} && ulimit -t ${cpuSeconds} && exec git "$@"`
    : `ulimit -t ${cpuSeconds} && exec git "$@"`

const graceMs = 5000

/** The group lives on while any process of it does, so the end of its first one is not asked for. */
const signalGroup = ({ pid }: ChildProcess, name: 'SIGTERM' | 'SIGKILL'): void => {
  if (pid === undefined) return
  try {
    process.kill(-pid, name)
  } catch {
    // It ended between the check and the signal.
  }
}

export type SpawnOptions = Readonly<{
  repo: string
  limits: ChildLimits
  config?: readonly (readonly [string, string])[]
  variables?: Readonly<Record<string, string>>
  hooks?: boolean
}>

/**
 * Starts git in a process group of its own. A failed start ends with null; throws where the machine has no room for
 * another process or its pipes.
 */
export const spawnGit = (args: readonly string[], options: SpawnOptions): GitChild => {
  const { repo, limits, config, variables, hooks = false } = options
  const child = spawn('/bin/sh', ['-c', underLimits(limits), 'git', ...args], {
    cwd: repo,
    env: gitEnvironment(repo, config, variables),
    detached: true,
    stdio: hooks ? ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] : ['pipe', 'pipe', 'pipe'],
  })
  child.on('error', () => undefined)
  const { stdin, stdout, stderr } = child
  if (!stdin || !stdout || !stderr) throw new Error('a child was started without its pipes')
  stdin.on('error', () => undefined)
  const [fromHook, toHook] = hooks ? [child.stdio[3] as Readable, child.stdio[4] as Writable] : [null, null]
  toHook?.on('error', () => undefined)

  const ended = once(child, 'close').then(
    () => child.exitCode,
    () => null,
  )
  let closed = false
  let kill: NodeJS.Timeout | undefined
  const end = (): void => {
    if (closed || kill) return
    signalGroup(child, 'SIGTERM')
    kill = setTimeout(() => signalGroup(child, 'SIGKILL'), graceMs)
  }
  const deadline = setTimeout(end, limits.totalMs)
  deadline.unref()
  void ended.then(() => {
    closed = true
    clearTimeout(deadline)
    clearTimeout(kill)
  })
  return { stdin, stdout, stderr, fromHook, toHook, ended, end }
}

/** git did not do what it was asked. The message is git's own first lines: for logs and for the owner. */
export class GitError extends Error {
  override readonly name = 'GitError'
  readonly code: 'git-failed' | 'git-output-too-large'
  readonly exit: number | null
  constructor(code: GitError['code'], exit: number | null, message: string) {
    super(message)
    this.code = code
    this.exit = exit
  }
}

/** Reads a stream to its end, and keeps the first `max` characters of it. */
export const collectStart = async (stream: Readable, max: number): Promise<string> => {
  let text = ''
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    if (text.length < max) text += chunk.toString('utf8')
  }
  return text.slice(0, max)
}

type ReadOptions = Omit<SpawnOptions, 'limits' | 'hooks'> & { input?: string; limits?: ChildLimits }
type Read = Readonly<{ exit: number | null; stderr: string; stopped: boolean }>

const readNow = async (
  args: readonly string[],
  limits: ChildLimits,
  options: ReadOptions,
  each: (chunk: Buffer) => boolean,
): Promise<Read> => {
  const child = spawnGit(args, { ...options, limits })
  child.stdin.end(options.input ?? '')
  const stderr = collectStart(child.stderr, 4096)
  let stopped = false
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    if (!stopped && !each(chunk)) {
      stopped = true
      child.end()
    }
  }
  return { exit: await child.ended, stderr: await stderr, stopped }
}

/** One stranger's requests for pages could otherwise start as many processes as the machine has. */
const inTurn = openTurns(16)

/**
 * Streams git's standard output to `each`, which returns false to stop early. Resolves with the exit code and the
 * beginning of standard error. Readers with the usual limits take turns.
 */
export const readGit = (
  args: readonly string[],
  options: ReadOptions,
  each: (chunk: Buffer) => boolean,
): Promise<Read> =>
  options.limits
    ? readNow(args, options.limits, options, each)
    : inTurn(() => readNow(args, limitsFor.reading, options, each))

/** Runs git to its end and returns its output. Throws GitError on failure or past `maxBytes` (16 MiB by default). */
export const runGit = async (
  args: readonly string[],
  options: Omit<SpawnOptions, 'limits' | 'hooks'> & { input?: string; maxBytes?: number },
): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  const { exit, stderr, stopped } = await readGit(args, options, (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    return size <= (options.maxBytes ?? 16 * 1024 * 1024)
  })
  if (stopped) throw new GitError('git-output-too-large', exit, `git ${args[0]}: more output than is taken`)
  if (exit !== 0) throw new GitError('git-failed', exit, stderr.trim() || `git ${args[0]} ended with ${exit}`)
  return Buffer.concat(chunks).toString('utf8')
}

/** Like runGit, but answers whether git ended with 0; for questions such as `merge-base --is-ancestor`. */
export const askGit = async (
  args: readonly string[],
  options: Omit<SpawnOptions, 'limits' | 'hooks'>,
): Promise<boolean> => {
  const { exit, stderr } = await readGit(args, options, () => true)
  if (exit === 0 || exit === 1) return exit === 0
  throw new GitError('git-failed', exit, stderr.trim() || `git ${args[0]} ended with ${exit}`)
}
