import t from 'tap'
import { runGit } from '../../../server/git/child.ts'
import { parseFileList } from '../../../server/proposals/file-list.ts'
import { twoTrees } from './two-trees.ts'

const rows = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, n) => `row ${from + n}\n`).join('')

const list = ({ repo, base, head }: Awaited<ReturnType<typeof twoTrees>>): Promise<string> =>
  runGit(['diff-tree', '-r', '-z', '--no-commit-id', '--raw', '--numstat', '-M', '-l400', base, head], {
    repo,
  })

t.test('every kind of change is told, with exact names and counts', async (t) => {
  const changed = await twoTrees(
    t,
    (tree) => {
      tree.write('a-modified', rows(0, 9))
      tree.write('b-removed', 'x\n')
      tree.write('c-old', rows(100, 120))
      tree.write('d-mode', 'x\n')
      tree.write('e-type', 'x\n')
      tree.write('f-binary', Buffer.from([0, 1, 2]))
      tree.write('g-empty', '')
    },
    (tree) => {
      tree.write('a-modified', rows(1, 11))
      tree.remove('b-removed')
      tree.rename('c-old', 'c-new')
      tree.write('c-new', `${rows(100, 120)}more\n`)
      tree.makeExecutable('d-mode')
      tree.remove('e-type')
      tree.link('e-type', 'd-mode')
      tree.write('f-binary', Buffer.from([0, 3]))
      tree.remove('g-empty')
      tree.write('h-added', 'new\n')
    },
  )
  const plain = {
    oldMode: '100644',
    newMode: '100644',
    binary: false,
    status: 'modified',
    additions: 0,
    deletions: 0,
  }
  const same = (name: string, change: object) => ({ ...plain, oldPath: name, newPath: name, ...change })
  t.same(parseFileList(await list(changed)), [
    same('a-modified', { additions: 2, deletions: 1 }),
    same('b-removed', { status: 'removed', newMode: null, deletions: 1 }),
    same('c-new', { status: 'renamed', oldPath: 'c-old', additions: 1 }),
    same('d-mode', { newMode: '100755' }),
    same('e-type', { status: 'type-changed', newMode: '120000', additions: 1, deletions: 1 }),
    same('f-binary', { binary: true }),
    same('g-empty', { status: 'removed', newMode: null }),
    same('h-added', { status: 'added', oldMode: null, additions: 1 }),
  ])
})

const odd = [
  'tab\there',
  'line\nfeed',
  '"quoted"',
  'back\\slash',
  'ünï ©',
  '\u{1f600}',
  ' blanks ',
  ':100644 100644 a b M',
  '1\t2\tcounts',
  '-\t-\t',
  '-x',
  'a/b',
]

t.test('names are taken as they are, whatever is in them', async (t) => {
  const changed = await twoTrees(
    t,
    (tree) => tree.write('old name\n', rows(0, 50)),
    (tree) => {
      for (const name of odd) tree.write(name, `${name}\n`)
      tree.rename('old name\n', 'new\tname')
    },
  )
  const files = parseFileList(await list(changed))
  t.same(new Set(files.map(({ newPath }) => newPath)), new Set([...odd, 'new\tname']))
  t.match(
    files.find(({ status }) => status === 'renamed'),
    { oldPath: 'old name\n', newPath: 'new\tname' },
  )
  t.ok(files.filter(({ status }) => status === 'added').every(({ additions }) => additions > 0))
})

t.test(
  'a list that was cut off anywhere gives files that are whole, and none that is not there',
  async (t) => {
    const output = await list(
      await twoTrees(
        t,
        (tree) => {
          tree.write('folder/old', rows(0, 50))
          tree.write('x', 'x\n')
        },
        (tree) => {
          tree.rename('folder/old', 'folder/new')
          tree.write('folder/added', 'x\n')
          tree.remove('x')
        },
      ),
    )
    const whole = parseFileList(output).map(({ oldPath, newPath, status }) => ({ oldPath, newPath, status }))
    for (let length = 0; length < output.length; length += 1) {
      const cut = parseFileList(output.slice(0, length)).map(({ oldPath, newPath, status }) => ({
        oldPath,
        newPath,
        status,
      }))
      t.same(cut, whole.slice(0, cut.length), String(length))
    }
  },
)

t.test('what git does not print is refused', async (t) => {
  for (const output of ['x\0', '1\t2\tx\0', ':100644 100644 abc abc\0x\0', '\0'])
    t.throws(() => parseFileList(output), JSON.stringify(output))
  t.same(parseFileList(''), [])
})
