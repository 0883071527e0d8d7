/** The default branch of a repository that has just got its first one. */
import type { RefUpdate } from '../../../hooks/decide-push.ts'
import { branchRefs } from '../../protocol/refs.ts'
import { runGit } from '../child.ts'
import { readDefaultBranch, resolveRef } from '../reading.ts'

/** Lets HEAD follow the first branch that a push brings, while the one that it names is not there. */
export const adoptBranch = async (repo: string, updates: readonly RefUpdate[]): Promise<void> => {
  const head = await readDefaultBranch(repo)
  if (head === null || (await resolveRef(repo, head)) !== null) return
  const first = updates.find((update) => update.new !== null && update.ref.startsWith(branchRefs))
  if (first) await runGit(['symbolic-ref', 'HEAD', first.ref], { repo })
}
