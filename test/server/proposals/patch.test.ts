import fc from 'fast-check'
import t from 'tap'
import { runGit } from '../../../server/git/child.ts'
import { parsePatch } from '../../../server/proposals/patch.ts'
import { twoTrees } from './two-trees.ts'

const patchOf = async (t: Parameters<typeof twoTrees>[0], before: string, after: string): Promise<string> => {
  const { repo, base, head } = await twoTrees(
    t,
    (tree) => tree.write('file', before),
    (tree) => tree.write('file', after),
  )
  return runGit(['diff-tree', '-r', '-p', '--no-commit-id', base, head], { repo })
}

/** The file after the change, put together from the one before and the hunks. */
const apply = (before: string, hunks: ReturnType<typeof parsePatch>[number]): string => {
  const old = before.split(/(?<=\n)/)
  let at = 0
  let text = ''
  for (const { oldStart, lines } of hunks) {
    // A hunk that only adds names the line that it comes after.
    const start = lines.some(({ kind }) => kind !== '+') ? oldStart - 1 : oldStart
    while (at < start) text += old[at++] ?? ''
    for (const { kind, text: line, noNewline } of lines) {
      if (kind !== '+') at += 1
      if (kind !== '-') text += noNewline === true ? line : `${line}\n`
    }
  }
  return text + old.slice(at).join('')
}

const tricky = [
  'a',
  'b',
  '',
  '@@ -1 +1 @@',
  'diff --git a/x b/x',
  '--- a/x',
  '+++ b/x',
  '\\ No newline at end of file',
  '-',
  '+',
  ' ',
  '\r',
  '\u2028',
  'ü',
]
const content = fc
  .tuple(fc.array(fc.constantFrom(...tricky), { maxLength: 30 }), fc.boolean())
  .map(([lines, end]) => lines.join('\n') + (end && lines.length > 0 ? '\n' : ''))

t.test(
  'the hunks of a real diff turn the old file into the new one, whatever the lines look like',
  async (t) => {
    await fc.assert(
      fc.asyncProperty(content, content, async (before, after) => {
        const [hunks, ...more] = parsePatch(await patchOf(t, before, after))
        if (before === after) return hunks === undefined
        return more.length === 0 && hunks !== undefined && apply(before, hunks) === after
      }),
      { numRuns: 25 },
    )
  },
)

t.test('a missing line feed is marked on the line that it follows, on either side', async (t) => {
  const lines = async (before: string, after: string) =>
    parsePatch(await patchOf(t, before, after))[0]?.[0]?.lines
  t.same(await lines('a\nb', 'a\nb\n'), [
    { kind: ' ', text: 'a' },
    { kind: '-', text: 'b', noNewline: true },
    { kind: '+', text: 'b' },
  ])
  t.same(await lines('a\nb\n', 'a\nc'), [
    { kind: ' ', text: 'a' },
    { kind: '-', text: 'b' },
    { kind: '+', text: 'c', noNewline: true },
  ])
})

t.test('files without hunks keep their place', async (t) => {
  const { repo, base, head } = await twoTrees(
    t,
    (tree) => {
      tree.write('b-mode', 'x')
      tree.write('c-binary', Buffer.from([0]))
      tree.write('d-type', 'x\n')
    },
    (tree) => {
      tree.write('a-empty', '')
      tree.makeExecutable('b-mode')
      tree.write('c-binary', Buffer.from([0, 1]))
      tree.remove('d-type')
      tree.link('d-type', 'y')
      tree.write('e-last', 'x\n')
    },
  )
  const patch = await runGit(['diff-tree', '-r', '-p', '--no-commit-id', base, head], { repo })
  t.same(
    parsePatch(patch).map((hunks) => hunks.length),
    [0, 0, 0, 1, 1, 1],
  )
})

t.test('the heading that git finds around a hunk is kept', async (t) => {
  const rows = Array.from({ length: 20 }, (_, n) => `  row ${n}`)
  const text = ['function first() {', ...rows, '}'].join('\n')
  const [hunks] = parsePatch(await patchOf(t, text, text.replace('row 15', 'changed')))
  t.match(hunks, [{ header: 'function first() {', oldStart: 14, newStart: 14 }])
})

t.test('a patch that was cut off gives what is whole in it', async (t) => {
  const patch = await patchOf(t, 'a\nb\nc\n', 'a\nx\nc\n')
  for (let length = 0; length <= patch.length; length += 1) {
    const [hunks = []] = parsePatch(patch.slice(0, length))
    for (const { lines } of hunks) t.ok(lines.length <= 4)
  }
  t.same(parsePatch(''), [])
  t.same(parsePatch('@@ -1 +1 @@\n-a\n+b\n'), [], 'a hunk of no file')
})
