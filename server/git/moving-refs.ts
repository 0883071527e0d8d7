/** The few refs that the forge itself moves, by compare-and-swap, without following a symbolic ref. */
import type { CommitId } from '../protocol/ids.ts'
import type { RefName } from '../protocol/refs.ts'
import { askGit, GitError, runGit } from './child.ts'
import { type Ref, resolveRef } from './reading.ts'

/** A git that was ended (its limits, a signal) may have moved the refs before: only they can tell. */
const succeeds = (update: Promise<string>, haveMoved: () => Promise<boolean>): Promise<boolean> =>
  update.then(
    () => true,
    (error: unknown) => {
      if (!(error instanceof GitError)) throw error
      return error.exit === null && haveMoved()
    },
  )

/**
 * Moves a ref from exactly `old` (null: it must not exist) to `commit`. False when it was not at `old`, when a folder
 * of refs is in the way, when somebody else is moving it, or when git cannot write: whoever needs to know reads the ref.
 */
export const swapRef = async (
  repo: string,
  ref: RefName,
  commit: CommitId,
  old: CommitId | null,
): Promise<boolean> => {
  const zero = '0'.repeat(commit.length)
  return succeeds(
    runGit(['update-ref', '--no-deref', ref, commit, old ?? zero], { repo }),
    async () => (await resolveRef(repo, ref)) === commit,
  )
}

/** Deletes the refs, all or none, each only while it is where it was seen. False when one has moved. */
export const deleteRefs = async (repo: string, refs: readonly Ref[]): Promise<boolean> => {
  const lines = refs.map(({ ref, commit }) => `option no-deref\ndelete ${ref} ${commit}\n`)
  return succeeds(runGit(['update-ref', '--stdin'], { repo, input: lines.join('') }), async () => {
    const left = await Promise.all(refs.map(({ ref }) => resolveRef(repo, ref)))
    return left.every((commit) => commit === null)
  })
}

/** Whether the name is a symbolic ref, which an update must not follow. Throws GitError when git cannot tell. */
export const isSymbolic = (repo: string, ref: RefName): Promise<boolean> =>
  askGit(['symbolic-ref', '--quiet', ref], { repo })
