import t from 'tap'
import { table } from '../../../../scripts/spbgit/terminal/table.ts'

const rows = [
  ['1', 'proposed', 'Update the year in every file'],
  ['12', 'failed', '字を直す'],
]

t.test('columns line up and nothing is cut where there is no terminal', async (t) => {
  t.strictSame(table(['JOB', 'STATE', 'TASK'], rows, null), [
    'JOB  STATE     TASK',
    '1    proposed  Update the year in every file',
    '12   failed    字を直す',
  ])
})

t.test('the last column gives way on a narrow terminal', async (t) => {
  t.strictSame(table(['JOB', 'STATE', 'TASK'], rows, 32)[1], '1    proposed  Update the year…')
  t.strictSame(table(['JOB', 'STATE', 'TASK'], rows, 5)[1], '1    proposed  Update the year…')
})

t.test('a cell cannot break its row', async (t) => {
  t.strictSame(table(['A', 'B'], [['x\ny', '\x1b[2Jz\r\nw']], null), ['A    B', 'x y  z w'])
})
