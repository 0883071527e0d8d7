import t from 'tap'
import { flagAttention } from '../../../server/proposals/attention.ts'
import type { DiffFile } from '../../../views/file-diff.ts'

const file = (newPath: string, change: Partial<DiffFile> = {}): DiffFile => ({
  oldPath: newPath,
  newPath,
  status: 'modified',
  oldMode: '100644',
  newMode: '100644',
  binary: false,
  additions: 1,
  deletions: 0,
  hunks: [],
  truncated: null,
  ...change,
})

const flags = (...args: Parameters<typeof file>): string[] =>
  flagAttention([file(...args)]).map(({ text }) => text)
const adding = (text: string): Partial<DiffFile> => ({
  hunks: [{ header: '', oldStart: 1, newStart: 1, lines: [{ kind: '+', text }] }],
})

t.test('ordinary code has nothing that needs a second look', async (t) => {
  for (const name of [
    'src/main.ts',
    'README.md',
    'docs/ci/page.md',
    'package.json.md',
    'my-package.json5',
    'Makefile.txt',
  ])
    t.same(flags(name, adding('const ü = "Grüße 😀"')), [], name)
})

t.test('what runs by itself, steers git or decides what is installed is pointed out', async (t) => {
  for (const name of [
    '.github/workflows/x.yml',
    'a/.gitlab-ci.yml',
    '.ci/run',
    'package.json',
    'sub/package.json',
    'Makefile',
    '.husky/pre-commit',
    '.envrc',
    '.vscode/tasks.json',
  ])
    t.match(flags(name), [/run by itself/], name)
  for (const name of ['.gitattributes', 'a/.gitmodules']) t.match(flags(name), [/steers git/], name)
  for (const name of ['package-lock.json', 'a/Cargo.lock', 'go.sum'])
    t.match(flags(name), [/installed/], name)
  t.match(flags('.agent-workspace.json'), [/how jobs run/])
  t.same(flags('sub/.agent-workspace.json'), [], 'only the one that is read')
})

t.test('what a path becomes is pointed out', async (t) => {
  t.match(flags('x', { newMode: '120000' }), [/symbolic link/])
  t.match(flags('x', { newMode: '160000' }), [/submodule/])
  t.match(flags('x', { newMode: '100755' }), [/executable/])
  t.same(flags('x', { oldMode: '100755', newMode: '100755' }), [])
  t.match(flags('x', { binary: true }), [/binary/])
  for (const name of ['test/a.ts', 'src/a.test.ts', 'a_spec.rb', 'pkg/__tests__/x.js'])
    t.match(flags(name, { status: 'removed', newMode: null }), [/test that is removed/], name)
})

t.test('a file that is taken out of the way is pointed out by the name that it had', async (t) => {
  t.match(flagAttention([file('attic/x.yml', { status: 'renamed', oldPath: '.github/workflows/x.yml' })]), [
    { text: /run by itself/ },
  ])
  t.match(flagAttention([file('attic/a.ts', { status: 'renamed', oldPath: 'test/a.ts' })]), [
    { text: /test that is moved/ },
  ])
})

t.test(
  'characters that deceive are found in names and in what is added, not in what is taken away',
  async (t) => {
    for (const hidden of ['\u202e', '\u2066', '\u200b', '\ufeff', '\u200f']) {
      t.match(flags('x', adding(`a${hidden}b`)), [/invisible/], hidden)
      t.match(flags(`a${hidden}b`), [/invisible/])
      t.same(
        flags('x', {
          hunks: [{ header: '', oldStart: 1, newStart: 1, lines: [{ kind: '-', text: hidden }] }],
        }),
        [],
      )
    }
  },
)
