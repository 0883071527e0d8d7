/** What pages and decisions read of a repository. Every answer is bounded. */
import { type CommitId, commitId } from '../protocol/ids.ts'
import { branchRefs, type RefName, refName } from '../protocol/refs.ts'
import { askGit, GitError, readGit, runGit } from './child.ts'

/** The branch that HEAD names, also while it is unborn; null for a detached HEAD. Throws GitError. */
export const readDefaultBranch = async (repo: string): Promise<RefName | null> => {
  const name = await runGit(['symbolic-ref', '--quiet', 'HEAD'], { repo }).catch((error: unknown) => {
    if (error instanceof GitError && error.exit === 1) return ''
    throw error
  })
  return refName.safeParse(name.trim()).data ?? null
}

/** The commit that a full ref name leads to, or null where there is none. Throws GitError when git cannot tell. */
export const resolveRef = async (repo: string, ref: RefName): Promise<CommitId | null> => {
  // rev-parse would take refs/heads/<ref> or refs/tags/<ref> for it where the ref itself is not there.
  const format = '--format=%(refname)%00%(objecttype) %(objectname)%00%(*objecttype) %(*objectname)'
  const [name, own = '', named = ''] = (await runGit(['for-each-ref', '--count=1', format, ref], { repo }))
    .trimEnd()
    .split('\0')
  const [, id] = /^commit (.+)$/.exec(own) ?? /^commit (.+)$/.exec(named) ?? []
  return name === ref && id !== undefined ? commitId.parse(id) : null
}

/** What each ref below a prefix holds, tags with their own object. Throws GitError, also for more than can be held. */
export const readRefMap = async (repo: string, prefix = 'refs/'): Promise<ReadonlyMap<string, string>> => {
  const args = ['for-each-ref', '--format=%(refname) %(objectname)', prefix]
  const out = await runGit(args, { repo, maxBytes: mostRefBytes })
  const lines = out.split('\n').filter((line) => line !== '')
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(' ')), line.slice(line.indexOf(' ') + 1)]))
}

export type Ref = Readonly<{ ref: RefName; commit: CommitId }>

const mostRefs = 20_000
/** Room for as many names as long as they can be. */
const mostRefBytes = 32 * 1024 * 1024
/** What a name's bytes become where they are no UTF-8; such a ref cannot be named here. */
const unreadable = '\ufffd'

const readRefs = async (repo: string, prefix: string, filter: string[]): Promise<Ref[]> => {
  const format = '--format=%(objectname) %(symref) %(refname)'
  const args = ['for-each-ref', `--count=${mostRefs}`, format, ...filter, prefix]
  const out = await runGit(args, { repo, maxBytes: mostRefBytes })
  return out
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [id, symref, ...rest] = line.split(' ')
      const ref = refName.safeParse(rest.join(' '))
      if (symref !== '' || !ref.success || ref.data.includes(unreadable)) return []
      return [{ ref: ref.data, commit: commitId.parse(id) }]
    })
}

/** The refs below a prefix such as `refs/heads/`, with the object each holds; symbolic ones are left out. */
export const listRefs = (repo: string, prefix: string): Promise<Ref[]> => readRefs(repo, prefix, [])

/** The last of them in the order of the numbers in their names, or null. */
export const lastRef = async (repo: string, prefix: string): Promise<string | null> => {
  const args = ['for-each-ref', '--count=1', '--sort=-version:refname', '--format=%(refname)', prefix]
  return (await runGit(args, { repo })).trim() || null
}

/** Those of them that the commit already contains. */
export const listMerged = (repo: string, prefix: string, commit: CommitId): Promise<Ref[]> =>
  readRefs(repo, prefix, [`--merged=${commit}`])

/** Whether the repository has no branch yet. */
export const isEmptyRepository = async (repo: string): Promise<boolean> =>
  (await runGit(['for-each-ref', '--count=1', '--format=%(refname)', branchRefs], { repo })) === ''

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

/** Of a commit's id, author and subject together, in characters; a message may be as large as any object. */
const longestRecord = 600
const longestAuthor = 200
/** What is read of all messages. Bytes. */
const mostLogBytes = 64 * 1024 * 1024

/** Takes NUL-ended records apart as they come, and keeps the beginning of each. */
const openRecords = () => {
  const whole: string[] = []
  let open = ''
  return {
    add(text: string): void {
      for (const [index, part] of text.split('\0').entries()) {
        if (index > 0) {
          whole.push(open)
          open = ''
        }
        open += part.slice(0, longestRecord - open.length)
      }
    },
    /** Those that have ended; the last one of git's output is not ended by anything. */
    all: (stopped: boolean): string[] => (stopped || open === '' ? whole : [...whole, open]),
  }
}

const parseCommit = (record: string): Commit => {
  const [id, author = '', ...subject] = record.split('\n')
  return { id: commitId.parse(id), author: author.slice(0, longestAuthor), subject: subject.join(' ') }
}

/** The newest commits that `head` adds to `base`, oldest first; long authors and subjects are cut. */
export const listCommits = async (
  repo: string,
  base: CommitId,
  head: CommitId,
  limit: number,
): Promise<Commit[]> => {
  const format = '--format=%H%n%an <%ae>%n%s'
  const args = ['log', '-z', '--topo-order', '--reverse', `--max-count=${limit}`, format, '--end-of-options']
  const decoder = new TextDecoder()
  const records = openRecords()
  let size = 0
  const { exit, stderr, stopped } = await readGit([...args, `${base}..${head}`], { repo }, (chunk) => {
    size += chunk.length
    records.add(decoder.decode(chunk, { stream: true }))
    return size < mostLogBytes
  })
  if (!stopped && exit !== 0) throw new GitError('git-failed', exit, stderr.trim())
  return records.all(stopped).map(parseCommit)
}

export const isAncestor = (repo: string, ancestor: CommitId, commit: CommitId): Promise<boolean> =>
  askGit(['merge-base', '--is-ancestor', ancestor, commit], { repo })
