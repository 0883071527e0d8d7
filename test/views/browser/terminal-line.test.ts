import fc from 'fast-check'
import t from 'tap'
import { hasHidden } from '../../../views/browser/hidden-characters.js'
import { terminalLine } from '../../../views/browser/terminal-line.js'

const textOf = (line: string): string =>
  terminalLine(line)
    .map((part) => part.text)
    .join('')

const piece = fc.oneof(
  fc.string({ maxLength: 8 }),
  fc.constantFrom(
    '\x1b',
    '\x1b[',
    '\x1b[31m',
    '\x1b[0;1;92m',
    '\x1b]0;title\x07',
    '\x1b]8;;u\x1b\\',
    '\x9b',
    '\r',
    '\x1bP',
    ';',
    'm',
  ),
)
const anyLine = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''))

t.test('whatever a program prints, what is shown holds no hidden character', async () => {
  fc.assert(fc.property(anyLine, (line) => !hasHidden(textOf(line))))
})

t.test('a line without control characters is shown as it is', async () => {
  fc.assert(fc.property(fc.string({ maxLength: 40 }), (line) => hasHidden(line) || textOf(line) === line))
})

t.test('colours become classes and end where they end', async (t) => {
  t.same(terminalLine('a\x1b[1;31mred\x1b[39mbold\x1b[0m z'), [
    { text: 'a', classes: '' },
    { text: 'red', classes: 'ansi-bold ansi-red' },
    { text: 'bold', classes: 'ansi-bold' },
    { text: ' z', classes: '' },
  ])
})

t.test('the numbers of a 256-colour sequence are not read as other styles', async (t) => {
  t.same(terminalLine('\x1b[38;5;1mx'), [{ text: 'x', classes: '' }])
})

t.test('titles, links and cursor movements leave nothing', async (t) => {
  t.equal(textOf('\x1b]0;title\x07a\x1b[2K\x1b[1Ab\x1b]8;;https://x\x1b\\c\x1b(B\x1b7'), 'abc')
})

t.test('a control string without its end hides nothing', async (t) => {
  t.equal(textOf('\x1b]0;rm -rf'), 'U+001B]0;rm -rf')
})

t.test('a carriage return overwrites what stood before it', async (t) => {
  t.equal(textOf('10 %\r50 %\r100 %\r'), '100 %')
})
