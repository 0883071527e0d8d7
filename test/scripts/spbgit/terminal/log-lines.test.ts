import t from 'tap'
import { createLogLines } from '../../../../scripts/spbgit/terminal/log-lines.ts'

t.test('a line that comes in pieces is shown whole', async (t) => {
  const log = createLogLines()
  t.strictSame(log.add('one\ntw'), ['one'])
  t.strictSame(log.add('o\n\nthree'), ['two', ''])
  t.strictSame(log.end(), ['three'])
  t.strictSame(log.end(), [])
})

t.test('an escape sequence cut between two pieces is removed', async (t) => {
  const log = createLogLines()
  t.strictSame(log.add('a\x1b[3'), [])
  t.strictSame(log.add('1mb\n'), ['ab'])
})

t.test('a line that never ends is shown in parts, so that memory stays bounded', async (t) => {
  const log = createLogLines()
  t.strictSame(
    log.add('x'.repeat(10_000)).map((line) => line.length),
    [4096, 4096],
  )
  t.strictSame(
    log.end().map((line) => line.length),
    [10_000 - 2 * 4096],
  )
})
