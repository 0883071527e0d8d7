import fc from 'fast-check'
import t from 'tap'
import { clean, cleanLine, cleanStart, cleanText } from '../../../../scripts/spbgit/terminal/clean.ts'

/** Text rich in what a terminal obeys. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        '\x1b',
        '\x1b[',
        '\x1b]',
        '\x1bP',
        '\x9b',
        '\x9d',
        '\x9c',
        '\x07',
        '\x1b\\',
        '\r',
        '\n',
      ),
      fc.constantFrom('31m', '0;title', '2J', '?1049h', '52;c;', 'x', '\t', '\u202e', '\u{e0041}', 'é', '字'),
      fc.string({ unit: 'binary' }),
    ),
  )
  .map((parts) => parts.join(''))

const commanding = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u

t.test('nothing that a terminal obeys is left, whatever comes in', async (t) => {
  fc.assert(fc.property(hostile, (text) => !commanding.test(cleanText(text).replace(/[\n\t]/g, ''))))
  t.pass()
})

t.test('a text gives the same in pieces as in one', async (t) => {
  fc.assert(
    fc.property(hostile, (text) => {
      let state = cleanStart
      let whole = ''
      for (const char of text) {
        const cleaned = clean(state, char)
        state = cleaned.state
        whole += cleaned.text
      }
      return whole === cleanText(text)
    }),
  )
  t.pass()
})

t.test('text without control characters is left as it is', async (t) => {
  for (const text of ['plain', 'a\tb\nc\n', 'naïve 字 👩‍💻', '[31m not a sequence', ''])
    t.equal(cleanText(text), text)
})

t.test('whole sequences go, not only their first character', async (t) => {
  t.equal(cleanText('\x1b[1;31mred\x1b[0m'), 'red')
  t.equal(cleanText('\x9b2Jx'), 'x')
  t.equal(cleanText('\x1b]52;c;aGk=\x07after'), 'after')
  t.equal(cleanText('\x1b]0;title\x1b\\after'), 'after')
  t.equal(cleanText('\x1bPq#0;2\x9cafter'), 'after')
  t.equal(cleanText('\x1b(Bafter\x1bcdone'), 'afterdone')
})

t.test('a sequence that nobody ends hides no more than its line', async (t) => {
  t.equal(cleanText('\x1b]0;hidden\nshown'), '\nshown')
  t.equal(cleanText('\x1b[12\nshown'), '\nshown')
})

t.test('a carriage return ends a line, once, so that it cannot overwrite one', async (t) => {
  t.equal(cleanText('10%\r20%\r\ndone\r'), '10%\n20%\ndone\n')
})

t.test('a text for one line holds no break', async (t) => {
  t.equal(cleanLine('  first\r\nsecond\t third\x1b[2J '), 'first second third')
})
