import fc from 'fast-check'
import t from 'tap'
import { hashSecret, mintToken, readToken } from '../../../server/identity/token-text.ts'
import { ulid } from '../../../server/identity/ulid.ts'
import { tokenId } from '../../../server/protocol/ids.ts'

const id = tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6w8')
const characters = fc.constantFrom(
  ...'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_- \n'.split(''),
)

t.test('a token that was made is read again, with the hash under which it is stored', async (t) => {
  for (const kind of ['personal', 'job'] as const) {
    const { text, hash } = mintToken(kind, id)
    t.match(text, kind === 'job' ? /^spb_job_/ : /^spb_pat_/)
    t.same(readToken(text), { kind, id, hash })
    t.equal(hash.length, 32)
    t.notOk(text.includes(hash.toString('hex')))
  }
})

t.test('a token with any one character changed is no token', async () => {
  const { text } = mintToken('personal', id)
  fc.assert(
    fc.property(fc.nat({ max: text.length - 1 }), characters, (at, character) => {
      const mistyped = text.slice(0, at) + character + text.slice(at + 1)
      return mistyped === text || readToken(mistyped) === null
    }),
    { numRuns: 3000 },
  )
})

t.test('a token that is cut, or has anything around it, is no token', async (t) => {
  const { text } = mintToken('job', id)
  for (let length = 0; length < text.length; length += 1) t.equal(readToken(text.slice(0, length)), null)
  for (const around of [
    `${text}\n`,
    ` ${text}`,
    `${text}A`,
    `${text}\0`,
    `Bearer ${text}`,
    text.toUpperCase(),
  ])
    t.equal(readToken(around), null)
})

t.test('a token of one kind does not become one of the other', async (t) => {
  const { text } = mintToken('job', id)
  t.equal(readToken(text.replace('spb_job_', 'spb_pat_')), null)
})

t.test('no two tokens are alike, and the secret alone decides the hash', async (t) => {
  const texts = Array.from({ length: 200 }, () => mintToken('personal', id).text)
  t.equal(new Set(texts).size, 200)
  t.same(hashSecret('a'), hashSecret('a'))
  t.not(hashSecret('a').equals(hashSecret('b')), true)
})

t.test('ids are sorted by the time at which they were made', async () => {
  const time = fc.integer({ min: 0, max: 2 ** 48 - 1 })
  fc.assert(
    fc.property(time, time, (a, b) => {
      const [first, second] = [ulid(a), ulid(b)].map((text) => tokenId.parse(text).slice(0, 10))
      return (
        first !== undefined &&
        second !== undefined &&
        Math.sign(a - b) === (first === second ? 0 : first < second ? -1 : 1)
      )
    }),
  )
})
