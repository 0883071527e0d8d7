/** git, with a repository and a configuration of our own over the agent's objects and files. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { CollectError } from './collect-error.ts'
import { agentObjectsFolder, indexFile, repository, scratch, workTree } from './places.ts'

/**
 * What the agent could have left that changes what git reads (graphs, bitmaps, indexes over many packs) is
 * not used; what could start a program is off. Attributes of the tree stay: no driver that they could name
 * is configured, and line endings are stored as the repository wants them.
 */
const configuration: Readonly<Record<string, string>> = {
  'core.hooksPath': '/dev/null',
  'core.fsmonitor': 'false',
  'core.untrackedCache': 'false',
  'core.commitGraph': 'false',
  'core.multiPackIndex': 'false',
  'core.attributesFile': '/dev/null',
  'core.excludesFile': '/dev/null',
  'core.bigFileThreshold': '16m',
  'pack.useBitmaps': 'false',
  'pack.threads': '1',
  'pack.windowMemory': '64m',
  'diff.ignoreSubmodules': 'all',
  'submodule.recurse': 'false',
  'gc.auto': '0',
}

const identity = { NAME: 'Agent', EMAIL: 'agent@job.invalid' }

const environment: NodeJS.ProcessEnv = {
  PATH: '/usr/local/bin:/usr/bin:/bin',
  HOME: scratch,
  TMPDIR: scratch,
  LC_ALL: 'C',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_NO_REPLACE_OBJECTS: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: identity.NAME,
  GIT_AUTHOR_EMAIL: identity.EMAIL,
  GIT_COMMITTER_NAME: identity.NAME,
  GIT_COMMITTER_EMAIL: identity.EMAIL,
  GIT_CONFIG_COUNT: String(Object.keys(configuration).length),
  ...Object.fromEntries(
    Object.entries(configuration).flatMap(([key, value], index) => [
      [`GIT_CONFIG_KEY_${index}`, key],
      [`GIT_CONFIG_VALUE_${index}`, value],
    ]),
  ),
}

/** Where git finds things: the repository is ours, the objects and the files are the agent's. */
const places: NodeJS.ProcessEnv = {
  GIT_DIR: repository,
  GIT_WORK_TREE: workTree,
  GIT_INDEX_FILE: indexFile,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: agentObjectsFolder,
}

/** A listing of 200,000 paths of 300 bytes. */
const answerBytes = 64 * 1024 * 1024

export type Ran = { readonly exit: number | null; readonly out: string }

/** Runs git to its end. Bytes in and out are Latin-1 text, one character a byte: names need not be UTF-8. */
export const tryGit = async (args: readonly string[], input = ''): Promise<Ran> => {
  const child = start(args, input, 'pipe')
  const ended = once(child, 'close')
  const pieces: Buffer[] = []
  let length = 0
  const output: AsyncIterable<Buffer> = child.stdout ?? Readable.from([])
  for await (const piece of output) {
    length += piece.length
    if (length > answerBytes) throw new CollectError('The work has more files than can be listed.')
    pieces.push(piece)
  }
  await ended
  return { exit: child.exitCode, out: Buffer.concat(pieces).toString('latin1') }
}

/** Runs git to its end, which must be a good one. */
export const git = async (args: readonly string[], input = ''): Promise<string> => {
  const { exit, out } = await tryGit(args, input)
  if (exit !== 0) throw new CollectError(`git ${args[0]} could not read what the agent left.`)
  return out
}

/** Runs git with its output as our own. */
export const printGit = async (args: readonly string[], input: string): Promise<void> => {
  const child = start(args, input, 'inherit')
  await once(child, 'close')
  if (child.exitCode !== 0) throw new CollectError(`git ${args[0]} could not read what the agent left.`)
}

const start = (args: readonly string[], input: string, stdout: 'pipe' | 'inherit'): ChildProcess => {
  const child = spawn('git', args, {
    env: { ...environment, ...places },
    cwd: workTree,
    stdio: ['pipe', stdout, 'inherit'],
  })
  child.stdin?.on('error', () => {})
  child.stdin?.end(Buffer.from(input, 'latin1'))
  return child
}

/** Makes the repository that is ours, for ids as long as the given one. */
export const makeRepository = async (commit: string): Promise<void> => {
  const format = commit.length === 64 ? 'sha256' : 'sha1'
  const args = ['init', '--quiet', '--bare', `--object-format=${format}`, repository]
  const child = spawn('git', args, { env: environment, cwd: scratch, stdio: 'inherit' })
  await once(child, 'close')
  if (child.exitCode !== 0) throw new CollectError('git init failed.')
}

/** The parts of a listing that git ends with NUL each. */
export const splitNul = (text: string): string[] => text.split('\0').slice(0, -1)

export const joinNul = (parts: readonly string[]): string => parts.map((part) => `${part}\0`).join('')
