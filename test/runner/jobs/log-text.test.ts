import fc from 'fast-check'
import t from 'tap'
import { createLogText, pieceBytes } from '../../../runner/jobs/log-text.ts'

const piecesOf = (chunks: readonly Buffer[]): string[] => {
  const text = createLogText()
  return [...chunks.flatMap((chunk) => text.add(chunk)), ...text.end()]
}

t.test('joined, the pieces are what was printed, wherever it was cut', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 1, max: 7 }), (printed, size) => {
      const bytes = Buffer.from(printed)
      const chunks: Buffer[] = []
      for (let at = 0; at < bytes.length; at += size) chunks.push(bytes.subarray(at, at + size))
      return piecesOf(chunks).join('') === printed
    }),
  )
})

t.test('a piece never holds more than 8 KiB, whatever the bytes are', async (t) => {
  for (const letter of ['a', 'é', '€', '😀', '\xff']) {
    const latin = letter === '\xff'
    const bytes = Buffer.from(letter.repeat(30_000), latin ? 'latin1' : 'utf8')
    const pieces = piecesOf([bytes.subarray(0, 10_001), bytes.subarray(10_001)])
    t.ok(pieces.every((piece) => Buffer.byteLength(piece) <= pieceBytes))
    t.equal(pieces.join(''), (latin ? '\ufffd' : letter).repeat(30_000))
    t.ok(pieces.every((piece) => piece.isWellFormed()))
  }
})

t.test('a piece ends with a line where it can', async (t) => {
  const lines = `${'x'.repeat(99)}\n`.repeat(200)
  const pieces = piecesOf([Buffer.from(lines)])
  t.ok(pieces.every((piece) => piece.endsWith('\n')))
  t.ok(pieces.length <= 4, 'and is no line each')
})

t.test('what is flushed is not given again', async (t) => {
  const text = createLogText()
  t.same(text.add(Buffer.from('Name? ')), [])
  t.same(text.flush(), ['Name? '])
  t.same(text.flush(), [])
  t.same(text.end(), [])
})
