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

const add = (a: number, b: number): number => Math.min(Number.MAX_SAFE_INTEGER / 2, a + b)

const sizeOf = ({ subtrees, others }: Node, sizes: ReadonlyMap<string, TreeSize>): TreeSize => {
  let entries = others
  let depth = 1
  for (const subtree of subtrees) {
    const size = sizes.get(subtree)
    entries = add(entries, 1 + (size?.entries ?? 0))
    depth = Math.max(depth, 1 + (size?.depth ?? 0))
  }
  return { entries, depth }
}

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
    // A tree can wait here more than once; a folder may name the same one a hundred thousand times.
    const pending = sizes.has(id) ? [] : [...new Set(node.subtrees)].filter((subtree) => !sizes.has(subtree))
    for (const subtree of pending) stack.push(subtree)
    if (pending.length > 0) continue
    if (!sizes.has(id)) sizes.set(id, sizeOf(node, sizes))
    stack.pop()
  }
  const size = sizes.get(root)
  if (!size) throw new Error('a tree is missing')
  return size
}
