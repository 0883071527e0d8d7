import fc from 'fast-check'
import t from 'tap'
import { tokenFromHeader } from '../../../server/identity/credentials.ts'

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`

t.test('no header is nobody; a header that cannot be read is not', async (t) => {
  t.equal(tokenFromHeader(undefined), null)
  for (const header of [
    '',
    ' ',
    'Bearer',
    'Bearer ',
    'Basic',
    'Digest abc',
    'Bearer a b',
    'spb_pat_x',
    'Bearer\ta',
    basic('no colon'),
    'Basic ***',
  ])
    t.equal(tokenFromHeader(header), undefined, JSON.stringify(header))
})

t.test('Bearer carries the token; the scheme is read in any case', async (t) => {
  for (const scheme of ['Bearer', 'bearer', 'BEARER']) t.equal(tokenFromHeader(`${scheme}  abc `), 'abc')
})

t.test('Basic carries it as password, for any user name, with any colons in it', async () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (user, password) => {
      const name = user.replaceAll(':', '')
      return tokenFromHeader(basic(`${name}:${password}`)) === password
    }),
  )
})

t.test('a header as long as a server takes is read at once', async (t) => {
  t.equal(tokenFromHeader(`Bearer ${' '.repeat(16_000)}`), undefined)
  t.equal(tokenFromHeader(`Bearer ${'a '.repeat(8000)}`), undefined)
})
