import fc from 'fast-check'
import t from 'tap'
import { hasHidden, splitHidden } from '../../../views/browser/hidden-characters.js'

const anyText = fc.string({ unit: 'binary', maxLength: 60 })

t.test('what is shown holds no hidden character', async () => {
  fc.assert(
    fc.property(
      anyText,
      (text) =>
        !hasHidden(
          splitHidden(text)
            .map((part) => part.text)
            .join(''),
        ),
    ),
  )
})

t.test('nothing is lost: names turned back into characters give the text', async () => {
  fc.assert(
    fc.property(
      anyText,
      (text) =>
        splitHidden(text)
          .map((part) =>
            part.hidden ? String.fromCodePoint(Number.parseInt(part.text.slice(2), 16)) : part.text,
          )
          .join('') === text,
    ),
  )
})

t.test('text without hidden characters is one piece', async () => {
  fc.assert(fc.property(anyText, (text) => hasHidden(text) || text === '' || splitHidden(text).length === 1))
})

t.test('direction marks, zero-width characters, controls and tags are hidden', async (t) => {
  for (const code of [
    0x00, 0x07, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0xad, 0x61c, 0x200b, 0x200e, 0x202e, 0x2028, 0x2066, 0x3164,
    0xfeff, 0xe0041, 0xd800,
  ])
    t.ok(hasHidden(`a${String.fromCodePoint(code)}b`), code.toString(16))
})

t.test('layout, letters of all scripts and emoji are not hidden', async (t) => {
  for (const text of ['a\tb\nc', 'Ünïcode', 'עברית', '日本語', '🙂', '❤️', '\u00a0'])
    t.notOk(hasHidden(text), text)
})
