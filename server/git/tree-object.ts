/** A raw tree object (gitformat: `<mode> SP <name> NUL <id>`, repeated), pure. */

/** The ids of the trees in it, and how many other entries it has. Throws on bytes that are no tree. */
export const parseTree = (raw: Buffer, idBytes: 20 | 32): { subtrees: string[]; others: number } => {
  const subtrees: string[] = []
  let others = 0
  let at = 0
  while (at < raw.length) {
    const space = raw.indexOf(32, at)
    const nul = raw.indexOf(0, space)
    const end = nul + 1 + idBytes
    if (space < 0 || nul < 0 || end > raw.length) throw new Error('not a tree object')
    const mode = raw.toString('latin1', at, space)
    if (mode === '40000') subtrees.push(raw.toString('hex', nul + 1, end))
    else others += 1
    at = end
  }
  return { subtrees, others }
}

type Node = Readonly<{ subtrees: readonly string[]; others: number }>
export type TreeSize = Readonly<{ entries: number; depth: number }>

/**
 * How many entries and levels the tree would have when it is written out: a few nested trees that repeat each other
 * can stand for more files than any disk holds. Each tree is visited once; the sum saturates.
 */
export const measureTree = (root: string, nodes: ReadonlyMap<string, Node>): TreeSize => {
  const sizes = new Map<string, TreeSize>()
  const stack = [root]
  for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
    const node = nodes.get(id)
    if (!node) throw new Error('a tree is missing')
    const pending = node.subtrees.filter((subtree) => !sizes.has(subtree))
    if (pending.length > 0) {
      stack.push(...pending)
      continue
    }
    let entries = node.others
    let depth = 1
    for (const subtree of node.subtrees) {
      const size = sizes.get(subtree)
      entries = Math.min(Number.MAX_SAFE_INTEGER / 2, entries + 1 + (size?.entries ?? 0))
      depth = Math.max(depth, 1 + (size?.depth ?? 0))
    }
    sizes.set(id, { entries, depth })
    stack.pop()
  }
  const size = sizes.get(root)
  if (!size) throw new Error('a tree is missing')
  return size
}
