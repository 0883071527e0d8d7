import t from 'tap'
import { readChanges } from '../../../server/proposals/changes.ts'
import { commitId } from '../../../server/protocol/ids.ts'
import { twoTrees } from './two-trees.ts'

const rows = (count: number, text = 'row'): string =>
  Array.from({ length: count }, (_, n) => `${text} ${n}\n`).join('')

t.test('each file has its own hunks, also beside files that have none or come twice', async (t) => {
  const { repo, base, head } = await twoTrees(
    t,
    (tree) => {
      tree.write('a-old', rows(30))
      tree.write('b-mode', 'x\n')
      tree.write('c-binary', Buffer.from([0]))
      tree.write('d-type', 'before\n')
      tree.write('e-becomes-submodule', 'before\n')
      tree.write('f-moved', rows(30, 'moved'))
    },
    async (tree) => {
      tree.rename('a-old', 'a-new')
      tree.makeExecutable('b-mode')
      tree.write('c-binary', Buffer.from([0, 1]))
      tree.remove('d-type')
      tree.link('d-type', 'target')
      tree.remove('e-becomes-submodule')
      await tree.submodule('e-becomes-submodule', '1'.repeat(40))
      tree.rename('f-moved', 'f-to')
      tree.write('f-to', `${rows(30, 'moved')}added\n`)
      tree.write('g-empty', '')
      await tree.submodule('h-submodule', '2'.repeat(40))
      tree.write('i-last', 'the last\n')
    },
  )
  const { commits, diff } = await readChanges(repo, base, head)
  t.equal(commits.length, 1)
  t.equal(diff.truncated, null)
  const shown = diff.files.map(({ newPath, status, hunks, truncated }) => [
    newPath,
    status,
    hunks.flatMap(({ lines }) =>
      lines.filter(({ kind }) => kind !== ' ').map(({ kind, text }) => kind + text),
    ),
    truncated,
  ])
  t.same(shown, [
    ['a-new', 'renamed', [], null],
    ['b-mode', 'modified', [], null],
    ['c-binary', 'modified', [], null],
    ['d-type', 'type-changed', ['-before', '+target'], null],
    ['e-becomes-submodule', 'type-changed', ['-before', `+Subproject commit ${'1'.repeat(40)}`], null],
    ['f-to', 'renamed', ['+added'], null],
    ['g-empty', 'added', [], null],
    ['h-submodule', 'added', [`+Subproject commit ${'2'.repeat(40)}`], null],
    ['i-last', 'added', ['+the last'], null],
  ])
})

t.test('a file with very many lines is cut, and says so; the next one is whole', async (t) => {
  const { repo, base, head } = await twoTrees(
    t,
    () => undefined,
    (tree) => {
      tree.write('a', rows(6000))
      tree.write('b', 'x\n')
    },
  )
  const [a, b] = (await readChanges(repo, base, head)).diff.files
  t.equal(a?.hunks.flatMap(({ lines }) => lines).length, 5000)
  t.match(a, { additions: 6000, truncated: /first 5000 lines/ })
  t.match(b, { truncated: null, hunks: [{ lines: [{ text: 'x' }] }] })
})

t.test('a patch that is too large is cut between files, and no file is shown as another', async (t) => {
  const { repo, base, head } = await twoTrees(
    t,
    () => undefined,
    (tree) => {
      for (const name of ['a', 'b', 'c', 'd']) tree.write(name, `${'x'.repeat(400)} ${name}\n`.repeat(4000))
    },
  )
  const { files } = (await readChanges(repo, base, head)).diff
  t.same(
    files.map(({ newPath }) => newPath),
    ['a', 'b', 'c', 'd'],
  )
  for (const { newPath, hunks } of files)
    for (const { lines } of hunks)
      t.ok(
        lines.every(({ text }) => text.endsWith(` ${newPath}`)),
        newPath,
      )
  t.match(files.at(-1), { hunks: [], truncated: /too large to show/, additions: 4000 })
})

t.test('very many files are listed up to a number, and it says so', async (t) => {
  const { repo, base, head } = await twoTrees(
    t,
    () => undefined,
    (tree) => {
      for (let n = 0; n < 3001; n += 1) tree.write(`f/${n}`, '')
    },
  )
  const { files, truncated } = (await readChanges(repo, base, head)).diff
  t.equal(files.length, 3000)
  t.match(truncated, /first 3000 files/)
})

t.test('attributes of the repository hide nothing from review', async (t) => {
  const { repo, base, head } = await twoTrees(
    t,
    (tree) => tree.write('.gitattributes', '* -diff\n* diff=hidden\n'),
    (tree) => tree.write('file', 'visible\n'),
  )
  t.match((await readChanges(repo, base, head)).diff.files, [
    { newPath: 'file', binary: false, hunks: [{ lines: [{ text: 'visible' }] }] },
  ])
})

t.test(
  'no change is an empty diff, and a commit that is not there says that it could not be read',
  async (t) => {
    const { repo, base, head } = await twoTrees(
      t,
      () => undefined,
      () => undefined,
    )
    t.same((await readChanges(repo, base, head)).diff, { files: [], truncated: null })
    t.match(await readChanges(repo, base, commitId.parse('1'.repeat(40))), {
      commits: [],
      diff: { files: [], truncated: /too much work/ },
    })
  },
)
