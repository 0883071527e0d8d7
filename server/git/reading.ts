/** What pages and decisions read of a repository. Every answer is bounded. */
import { type CommitId, commitId } from '../protocol/ids.ts'
import { type RefName, refName } from '../protocol/refs.ts'
import { askGit, runGit } from './child.ts'

const emptyToNull = (text: string): string | null => (text.trim() === '' ? null : text.trim())

/** The branch that HEAD names, also while it is unborn; null for a detached HEAD. */
export const readDefaultBranch = async (repo: string): Promise<RefName | null> => {
  const name = await runGit(['symbolic-ref', '--quiet', 'HEAD'], { repo }).catch(() => '')
  return refName.safeParse(name.trim()).data ?? null
}

/** The commit that a full ref name leads to, or null. */
export const resolveRef = async (repo: string, ref: RefName): Promise<CommitId | null> => {
  const out = await runGit(['rev-parse', '--verify', '--quiet', '--end-of-options', `${ref}^{commit}`], {
    repo,
  }).catch(() => '')
  const id = emptyToNull(out)
  return id === null ? null : commitId.parse(id)
}

export type Ref = Readonly<{ ref: RefName; commit: CommitId }>

const mostRefs = 20_000

const readRefs = async (repo: string, prefix: string, limit: number, filter: string[]): Promise<Ref[]> => {
  const format = '--format=%(objectname) %(symref) %(refname)'
  const out = await runGit(['for-each-ref', `--count=${limit}`, format, ...filter, prefix], { repo })
  return out
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [id, symref, ...name] = line.split(' ')
      return symref === '' ? [{ ref: refName.parse(name.join(' ')), commit: commitId.parse(id) }] : []
    })
}

/** The refs below a prefix such as `refs/heads/`, with the object each holds; symbolic ones are left out. */
export const listRefs = (repo: string, prefix: string, limit = mostRefs): Promise<Ref[]> =>
  readRefs(repo, prefix, limit, [])

/** Those of them that the commit already contains. */
export const listMerged = (repo: string, prefix: string, commit: CommitId): Promise<Ref[]> =>
  readRefs(repo, prefix, mostRefs, [`--merged=${commit}`])

/** Whether the repository has no branch yet. */
export const isEmptyRepository = async (repo: string): Promise<boolean> =>
  (await listRefs(repo, 'refs/heads/', 1)).length === 0

/** A regular file of a commit as text, or null when there is none: links and folders are nobody's file. */
export const readFileAt = async (
  repo: string,
  commit: CommitId,
  path: string,
  maxBytes: number,
): Promise<string | null> => {
  const line = await runGit(['ls-tree', '-z', '--full-tree', commit, '--', path], { repo })
  const [, id] = /^100(?:644|755) blob ([0-9a-f]+)\t/.exec(line) ?? []
  return id === undefined ? null : runGit(['cat-file', 'blob', id], { repo, maxBytes })
}

export type Commit = Readonly<{ id: CommitId; subject: string; author: string }>

/** The newest commits that `head` adds to `base`, oldest first. */
export const listCommits = async (
  repo: string,
  base: CommitId,
  head: CommitId,
  limit: number,
): Promise<Commit[]> => {
  const out = await runGit(
    [
      'log',
      '-z',
      '--topo-order',
      '--reverse',
      `--max-count=${limit}`,
      '--format=%H%n%an <%ae>%n%s',
      '--end-of-options',
      `${base}..${head}`,
    ],
    { repo },
  )
  return out
    .split('\0')
    .filter((record) => record !== '')
    .map((record) => {
      const [id, author = '', ...subject] = record.trimStart().split('\n')
      return { id: commitId.parse(id), author, subject: subject.join(' ') }
    })
}

export const isAncestor = (repo: string, ancestor: CommitId, commit: CommitId): Promise<boolean> =>
  askGit(['merge-base', '--is-ancestor', ancestor, commit], { repo })
