import fc from 'fast-check'
import t from 'tap'
import { addChunk, type LogLine } from '../../../views/browser/log-lines.js'

const linesOf = (chunks: readonly string[]): LogLine[] => {
  const lines: LogLine[] = []
  for (const text of chunks) addChunk(lines, { step: 'agent', stream: 'out', text })
  return lines
}

t.test('where a text is cut into chunks makes no difference', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 40 })
  fc.assert(
    fc.property(fc.array(text, { maxLength: 8 }), (chunks) => {
      const whole = chunks.join('')
      t.same(linesOf(chunks), linesOf([whole]))
      t.equal(
        linesOf(chunks)
          .map((line) => line.text + (line.open ? '' : '\n'))
          .join(''),
        whole,
      )
    }),
    { numRuns: 50 },
  )
})

t.test('output and errors never share a line', async (t) => {
  const lines: LogLine[] = []
  addChunk(lines, { step: 'agent', stream: 'out', text: 'a' })
  addChunk(lines, { step: 'agent', stream: 'err', text: 'b\n' })
  addChunk(lines, { step: 'verify', stream: 'err', text: 'c' })
  t.same(
    lines.map(({ text }) => text),
    ['a', 'b', 'c'],
  )
})

t.test('a line without end is cut, and says how much is missing', async (t) => {
  const [line, ...others] = linesOf(['x'.repeat(3000), 'x'.repeat(3000), '\n'])
  t.same(others, [])
  t.equal(line?.text.length, 4000)
  t.equal(line?.cut, 2000)
})
