/** The commits that a push has brought to a ref, with the files that each of them touches. Every answer is bounded. */
import { type CommitId, commitId } from '../protocol/ids.ts'
import type { RefName } from '../protocol/refs.ts'
import { readGit, runGit } from './child.ts'

type Author = Readonly<{ name: string; email: string; date: string }>

export type PushedCommit = Readonly<{
  id: CommitId
  tree: CommitId
  author: Author
  committer: Author
  message: string
  added: readonly string[]
  removed: readonly string[]
  modified: readonly string[]
}>

/** The most commits of one push that are told. */
const mostCommits = 250
/** What is read of them in all. Bytes. */
const mostBytes = 2 * 1024 * 1024
const longestMessage = 16 * 1024

const fields = ['H', 'T', 'an', 'ae', 'aI', 'cn', 'ce', 'cI', 'B'] as const
const format = `--format=${fields.map((field) => `%x00%${field}`).join('')}`
const shown = ['-z', '--name-status', '--no-renames', '--no-show-signature']

const take = (header: readonly string[], files: readonly [string, string][]): PushedCommit => {
  const [id, tree, an = '', ae = '', aI = '', cn = '', ce = '', cI = '', message = ''] = header
  const named = (statuses: string): string[] =>
    files.filter(([status]) => statuses.includes(status)).map(([, file]) => file)
  return {
    id: commitId.parse(id),
    tree: commitId.parse(tree),
    author: { name: an, email: ae, date: aI },
    committer: { name: cn, email: ce, date: cI },
    message: message.trimEnd().slice(0, longestMessage),
    added: named('A'),
    removed: named('D'),
    modified: named('MT'),
  }
}

/**
 * Takes `git log -z --name-status` with our format apart: for each commit an empty field, its header, then pairs of
 * status and path. No status is empty, so an empty field begins the next commit. Pure; throws on anything else.
 */
export const parsePushedCommits = (output: string): PushedCommit[] => {
  const parts = output.split('\0')
  const commits: PushedCommit[] = []
  let at = 0
  while (at + fields.length < parts.length) {
    if (parts[at] !== '') throw new Error('not the output of git log')
    const header = parts.slice(at + 1, at + 1 + fields.length)
    at += 1 + fields.length
    const files: [string, string][] = []
    for (let status = parts[at]; status !== undefined && status !== ''; status = parts[at]) {
      files.push([status.trimStart().slice(0, 1), parts[at + 1] ?? ''])
      at += 2
    }
    commits.push(take(header, files))
  }
  return commits
}

const readLog = async (repo: string, args: readonly string[]): Promise<PushedCommit[]> => {
  const chunks: Buffer[] = []
  let size = 0
  const { exit, stopped } = await readGit(['log', ...args], { repo }, (chunk) => {
    chunks.push(chunk)
    size += chunk.length
    return size <= mostBytes
  })
  if (!stopped && exit !== 0) throw new Error('git log failed')
  const text = Buffer.concat(chunks).toString('utf8')
  // The last one may have been cut in the middle.
  return stopped
    ? parsePushedCommits(text.slice(0, text.lastIndexOf('\0\0'))).slice(0, -1)
    : parsePushedCommits(text)
}

/** Leaves out what other branches than this one have. No ref name holds a character that a glob knows. */
const notElsewhere = (ref: RefName): string[] => ['--not', `--exclude=${ref}`, '--glob=refs/heads']

/**
 * What `ref` has now and had not: after a move, the commits that `old` lacks; for a new branch, those that no other
 * branch has. Oldest first, the newest of very many. Throws where git cannot read them.
 */
export const listPushedCommits = (
  repo: string,
  ref: RefName,
  old: CommitId | null,
  head: CommitId,
): Promise<PushedCommit[]> => {
  const range = old === null ? [head, ...notElsewhere(ref)] : [head, `^${old}`]
  return readLog(repo, [
    '--reverse',
    '--topo-order',
    `--max-count=${mostCommits}`,
    format,
    ...shown,
    ...range,
  ])
}

/** One commit, or the one that a tag leads to; null for what is none. */
export const readPushedCommit = async (repo: string, id: CommitId): Promise<PushedCommit | null> => {
  const [commit] = await readLog(repo, ['--max-count=1', format, ...shown, id])
  return commit ?? null
}

/** Which of the commits that `head` has are on no other branch than `ref`. */
export const listDistinct = async (
  repo: string,
  ref: RefName,
  head: CommitId,
): Promise<ReadonlySet<string>> => {
  const out = await runGit(['rev-list', `--max-count=${mostCommits}`, head, ...notElsewhere(ref)], { repo })
  return new Set(out.split('\n').filter((line) => line !== ''))
}
