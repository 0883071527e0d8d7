import t from 'tap'
import { diffView } from '../../views/diff.ts'
import type { DiffFile } from '../../views/file-diff.ts'
import { files } from './samples.ts'

const [fold] = files
if (!fold) throw new Error('no file among the samples')
const viewOf = (file: Partial<DiffFile>): string =>
  diffView({ files: [{ ...fold, ...file }], truncated: null }).toString()

t.test('lines are numbered on the side on which they are', async (t) => {
  const rows = [
    ...viewOf({}).matchAll(/<tr(?: class="(\w+)")?><td(?: data-n="(\d+)")?><\/td><td(?: data-n="(\d+)")?>/g),
  ]
  t.same(
    rows.map(([, kind, before, after]) => [kind ?? ' ', before ?? '', after ?? '']),
    [
      ['del', '1', ''],
      ['del', '2', ''],
      ['add', '', '1'],
      ['add', '', '2'],
      [' ', '3', '3'],
      [' ', '4', '4'],
      [' ', '5', '5'],
      [' ', '40', '40'],
      ['del', '41', ''],
      ['add', '', '41'],
      ['add', '', '42'],
    ],
  )
})

t.test('a file that is not shown says why', async (t) => {
  t.match(viewOf({ binary: true, hunks: [] }), 'A binary file')
  t.match(viewOf({ hunks: [], truncated: 'Too large to show.' }), 'Too large to show.')
  t.match(viewOf({ hunks: [] }), 'No line of it changed')
  t.match(diffView({ files: [], truncated: 'Only 3000 files are listed.' }).toString(), 'Only 3000 files')
})

t.test('a mode that is not a plain file’s, or changes, is said', async (t) => {
  t.match(viewOf({ oldMode: null, newMode: '120000' }), '>symbolic link<')
  t.match(viewOf({ newMode: '100755' }), 'file → executable (100644 → 100755)')
  t.notMatch(viewOf({ oldMode: null }), 'class="tag')
})

t.test('a moved file shows both names, a removed one the old', async (t) => {
  t.match(viewOf({ status: 'renamed', oldPath: 'from', newPath: 'to' }), /from<\/bdi>.*→.*to<\/bdi>/)
  t.match(viewOf({ status: 'removed', oldPath: 'gone' }), 'gone</bdi>')
})

t.test('a long file starts folded, a short one open', async (t) => {
  const line = { kind: '+', text: 'x' } as const
  const long = { header: '', oldStart: 1, newStart: 1, lines: Array.from({ length: 801 }, () => line) }
  t.match(viewOf({ hunks: [long] }), '<details class="file" id="file-1">')
  t.match(viewOf({}), '<details class="file" id="file-1" open>')
})
