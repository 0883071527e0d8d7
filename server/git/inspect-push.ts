/** A look at the objects of a push while they are still in quarantine: nothing in it may be too large to handle. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import type { RefUpdate } from '../../hooks/decide-push.ts'
import type { CommitId } from '../protocol/ids.ts'
import { askGit, readGit, runGit } from './child.ts'
import type { GitLimits } from './git-limits.ts'
import { type ObjectReader, openObjectReader } from './object-reader.ts'
import { measureTree, parseTree } from './tree-object.ts'

/** As many paths as a checkout may have, and as deep as they may go. */
const mostEntries = 1_000_000
const mostLevels = 256
/** Distinct trees that one push may bring to be looked at, and the size of each. */
const mostTrees = 500_000
/** How often all of those may name one another: each is held in memory. */
const mostLinks = 2_000_000
const largestTree = 32 * 1024 * 1024

export type Quarantine = Readonly<{ repo: string; folder: string }>

const objectsOf = (repo: string) => path.join(repo, 'objects')

/** git reads new objects from quarantine, older ones from the repository. */
const bothStores = ({ repo, folder }: Quarantine) => ({
  GIT_OBJECT_DIRECTORY: folder,
  GIT_ALTERNATE_OBJECT_DIRECTORIES: objectsOf(repo),
})

/** The quarantine that a hook named. Throws when it is none of this repository's: then nothing can be looked at. */
export const parseQuarantine = async (repo: string, folder: string): Promise<Quarantine> => {
  // git names the real folder, also where the repository is reached through a link.
  const resolved = await realpath(path.resolve(repo, folder))
  if (path.dirname(resolved) !== (await realpath(objectsOf(repo)))) throw new Error('not a quarantine')
  return { repo, folder: resolved }
}

/** The first new object that is too large once inflated, as a sentence, or null; and whether trees are among them. */
const checkSizes = async (
  at: Quarantine,
  limits: GitLimits,
): Promise<{ reason: string | null; trees: boolean }> => {
  let rest = ''
  let reason: string | null = null
  let trees = false
  let objects = 0
  const { exit, stopped } = await readGit(
    [
      'cat-file',
      '--batch-all-objects',
      '--unordered',
      '--buffer',
      '--batch-check=%(objecttype) %(objectsize) %(objectname)',
    ],
    { repo: at.repo, variables: { GIT_OBJECT_DIRECTORY: at.folder } },
    (chunk) => {
      const lines = (rest + chunk.toString('latin1')).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        const [type, size, id] = line.split(' ')
        if (type === 'tree') trees = true
        if (Number(size) > limits.objectBytes) {
          reason = `object ${id} is ${size} bytes; the most is ${limits.objectBytes}.`
          return false
        }
      }
      objects += lines.length
      if (objects > limits.objects) {
        reason = `it brings more than ${limits.objects} objects.`
        return false
      }
      return true
    },
  )
  if (!stopped && exit !== 0) return { reason: 'its objects could not be read.', trees }
  return { reason, trees }
}

type Known = { trees: Map<string, ReturnType<typeof parseTree>>; links: number }

const readTrees = async (reader: ObjectReader, root: string, known: Known): Promise<void> => {
  const pending = [root]
  for (let id = pending.pop(); id !== undefined; id = pending.pop()) {
    if (known.trees.has(id)) continue
    const object = await reader.read(id)
    if (object?.type !== 'tree') throw new Error('a tree is missing')
    const node = parseTree(object.body, object.id.length === 64 ? 32 : 20)
    known.trees.set(id, node)
    known.links += node.subtrees.length
    if (known.trees.size > mostTrees || known.links > mostLinks) throw new Error('too many trees')
    for (const subtree of node.subtrees) if (!known.trees.has(subtree)) pending.push(subtree)
  }
}

/** The first pushed tip whose tree would be too large to check out or to show, as a sentence, or null. */
const checkTrees = async (at: Quarantine, updates: readonly RefUpdate[]): Promise<string | null> => {
  const reader = openObjectReader({ repo: at.repo, variables: bothStores(at) }, largestTree)
  try {
    const known: Known = { trees: new Map(), links: 0 }
    for (const update of updates) {
      if (update.new === null) continue
      const tip = await reader.read(`${update.new}^{tree}`)
      if (!tip || known.trees.has(tip.id)) continue
      await readTrees(reader, tip.id, known)
      const { entries, depth } = measureTree(tip.id, known.trees)
      if (entries > mostEntries || depth > mostLevels) {
        return `${update.ref}: its tree stands for more than ${mostEntries} files or ${mostLevels} levels.`
      }
    }
    return null
  } catch {
    return 'its trees could not be read.'
  } finally {
    await reader.close()
  }
}

/** Why the objects of this push are refused, as a sentence, or null. Bounded in memory and time. */
export const inspectObjects = async (
  at: Quarantine,
  updates: readonly RefUpdate[],
  limits: GitLimits,
): Promise<string | null> => {
  const { reason, trees } = await checkSizes(at, limits)
  return reason ?? (trees ? checkTrees(at, updates) : null)
}

/** Whether `commit`, which may still be in quarantine, has `base` among its ancestors. False for what is no commit. */
export const descendsFrom = async (
  at: Quarantine | { repo: string },
  commit: CommitId,
  base: CommitId,
): Promise<boolean> => {
  const options = { repo: at.repo, ...('folder' in at ? { variables: bothStores(at) } : {}) }
  try {
    // merge-base takes a tag for the commit that it names.
    const type = await runGit(['cat-file', '-t', commit], options)
    return type.trim() === 'commit' && (await askGit(['merge-base', '--is-ancestor', base, commit], options))
  } catch {
    return false
  }
}
