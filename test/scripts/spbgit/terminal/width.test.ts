import fc from 'fast-check'
import t from 'tap'
import { fit, width } from '../../../../scripts/spbgit/terminal/width.ts'

t.test('ideographs and emoji take two columns, combining marks none', async (t) => {
  t.equal(width('abc'), 3)
  t.equal(width('字a'), 3)
  t.equal(width('👩‍💻'), 2)
  t.equal(width('e\u0301'), 1)
})

t.test('a cut line is never wider than asked', async (t) => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'grapheme' }),
      fc.nat(40),
      (line, columns) => width(fit(line, columns)) <= columns,
    ),
  )
  t.pass()
})

t.test('only a line that does not fit is cut, and one sees that it was', async (t) => {
  t.equal(fit('abcdef', 6), 'abcdef')
  t.equal(fit('abcdef', 5), 'abcd…')
  t.equal(fit('字字字', 4), '字…')
  t.equal(fit('abc', 0), '')
})
