import fc from 'fast-check'
import t from 'tap'
import { measureTree, parseTree } from '../../../server/git/tree-object.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const id = (n: number): string => n.toString(16).padStart(40, '0')
const entry = (mode: string, name: string, hex: string): Buffer =>
  Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hex, 'hex')])

t.test('a tree that git wrote is read: folders by id, all else counted', async (t) => {
  const cwd = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd })
  const blob = await git(['hash-object', '-w', '--stdin'], { cwd, input: 'x' })
  const inner = await git(['mktree'], { cwd, input: `100644 blob ${blob}\tx\n` })
  const lines = [
    `040000 tree ${inner}\tfolder`,
    `100755 blob ${blob}\ta b`,
    `120000 blob ${blob}\tlink`,
    `160000 commit ${id(7)}\tsub`,
  ]
  const outer = await git(['mktree', '--missing'], { cwd, input: `${lines.join('\n')}\n` })
  const raw = Buffer.concat([
    entry('100755', 'a b', blob),
    entry('40000', 'folder', inner),
    entry('120000', 'link', blob),
    entry('160000', 'sub', id(7)),
  ])
  t.equal(
    await git(['hash-object', '-t', 'tree', '--stdin'], { cwd, input: '' }),
    '4b825dc642cb6eb9a060e54bf8d69288fbee4904',
  )
  t.equal(await git(['cat-file', '-s', outer], { cwd }), String(raw.length))
  t.same(parseTree(raw, 20), { subtrees: [inner], others: 3 })
})

t.test('an empty tree has nothing in it', async (t) => {
  t.same(parseTree(Buffer.alloc(0), 20), { subtrees: [], others: 0 })
})

t.test('ids of SHA-256 are taken whole', async (t) => {
  const long = 'cd'.repeat(32)
  t.same(parseTree(entry('40000', 'x', long), 32), { subtrees: [long], others: 0 })
})

t.test('bytes that are cut off anywhere inside an entry are no tree', async (t) => {
  const whole = entry('100644', 'name', id(1))
  for (let length = 1; length < whole.length; length += 1)
    t.throws(() => parseTree(whole.subarray(0, length), 20), String(length))
})

t.test('whatever the bytes, reading them ends', async () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
      try {
        parseTree(Buffer.from(bytes), 20)
      } catch (error) {
        if (!(error instanceof Error) || error.message !== 'not a tree object') throw error
      }
    }),
  )
})

type Nodes = Map<string, { subtrees: string[]; others: number }>

/** Trees in a row, each with `width` entries that are all the next one; the last holds a file. */
const nested = (levels: number, width: number): Nodes => {
  const nodes: Nodes = new Map()
  for (let level = 0; level < levels; level += 1)
    nodes.set(id(level), { subtrees: Array.from({ length: width }, () => id(level + 1)), others: 0 })
  return nodes.set(id(levels), { subtrees: [], others: 1 })
}

t.test('what is written out is counted, not what is stored', async (t) => {
  t.same(measureTree(id(0), nested(1, 3)), { entries: 3 + 3, depth: 2 })
  t.same(measureTree(id(0), nested(2, 10)), { entries: 10 + 100 + 100, depth: 3 })
})

t.test('a bomb is measured without being expanded', async (t) => {
  const { entries, depth } = measureTree(id(0), nested(40, 10))
  t.ok(entries > 1e15)
  t.equal(depth, 41)
})

t.test('a folder that repeats a wide folder many times is visited once', async (t) => {
  const { entries } = measureTree(id(0), nested(3, 100_000))
  t.ok(entries >= 1e15)
})

t.test('a path of any depth is measured without a deep stack', async (t) => {
  t.same(measureTree(id(0), nested(200_000, 1)), { entries: 200_001, depth: 200_001 })
})

t.test('a folder with very many different folders is measured', async (t) => {
  const subtrees = Array.from({ length: 300_000 }, (_, n) => id(n + 1))
  const nodes: Nodes = new Map(subtrees.map((subtree) => [subtree, { subtrees: [], others: 1 }]))
  nodes.set(id(0), { subtrees, others: 0 })
  t.same(measureTree(id(0), nodes), { entries: 600_000, depth: 2 })
})

t.test('a tree that is not there is an error', async (t) => {
  t.throws(() => measureTree(id(0), new Map()))
  t.throws(() => measureTree(id(0), new Map([[id(0), { subtrees: [id(1)], others: 0 }]])))
})
