import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

export type Ran = Readonly<{ code: number | null; out: string; err: string }>

/** What decides how git behaves comes from here alone, not from the machine. */
const clean = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Tess',
  GIT_AUTHOR_EMAIL: 'tess@example.org',
  GIT_COMMITTER_NAME: 'Tess',
  GIT_COMMITTER_EMAIL: 'tess@example.org',
}

export type GitOptions = Readonly<{ cwd: string; ca?: string; env?: Record<string, string>; input?: string }>

/** `detached`: in a process group of its own, so that it can be ended with all that it has started. */
type StartOptions = GitOptions & Readonly<{ detached?: boolean }>

export const startGit = (
  args: readonly string[],
  { cwd, ca, env, detached = false }: StartOptions,
): ChildProcess =>
  spawn('git', args, {
    cwd,
    detached,
    env: { ...clean, ...(ca ? { GIT_SSL_CAINFO: ca } : {}), ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  })

/** Runs a real git and waits for its end. Never throws: the code is for the test to judge. */
export const tryGit = async (args: readonly string[], options: GitOptions): Promise<Ran> => {
  const child = startGit(args, options)
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk: Buffer) => (out += chunk.toString()))
  child.stderr?.on('data', (chunk: Buffer) => (err += chunk.toString()))
  // Not every git reads its input.
  child.stdin?.on('error', () => undefined)
  child.stdin?.end(options.input ?? '')
  await once(child, 'close')
  return { code: child.exitCode, out: out.trim(), err }
}

/** Like tryGit, but git has to succeed. Returns its output. */
export const git = async (args: readonly string[], options: GitOptions): Promise<string> => {
  const ran = await tryGit(args, options)
  if (ran.code !== 0) throw new Error(`git ${args.join(' ')} ended with ${ran.code}: ${ran.err}`)
  return ran.out
}
