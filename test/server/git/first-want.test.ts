import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import fc from 'fast-check'
import t from 'tap'
import { holdUntilWanted, scanForWant } from '../../../server/git/first-want.ts'

const id = 'a1'.repeat(20)
const line = (content: string): string => (content.length + 4).toString(16).padStart(4, '0') + content
const version0 = `${line(`want ${id} multi_ack ofs-delta\n`)}${line(`want ${'b'.repeat(40)}\n`)}0000${line('done\n')}`
const version2 = `${line('command=fetch')}${line('agent=git/x')}0001${line('thin-pack')}${line(`want ${id}\n`)}${line('done')}0000`
const listing = `${line('command=ls-refs')}0001${line('peel')}${line('ref-prefix want')}0000`

const wantIn = (body: string) => scanForWant(Buffer.from(body)).want

t.test('the first want is found in each version of the protocol', async (t) => {
  t.equal(wantIn(version0), id)
  t.equal(wantIn(version2), id)
  t.equal(wantIn(line(`want ${'c'.repeat(64)}\n`)), 'c'.repeat(64))
})

t.test('what git takes for a want is one', async (t) => {
  t.equal(wantIn(line(`want ${id.toUpperCase()}`)), id)
  t.equal(wantIn(line(`want ${id}thin-pack`)), id)
})

t.test('a listing, a probe and an empty request want nothing', async (t) => {
  t.equal(wantIn(listing), null)
  t.equal(wantIn('0000'), null)
})

t.test('what could be read in two ways is refused', async (t) => {
  for (const body of [
    'zzzz',
    'want',
    line('want x'),
    line(`want ${'a'.repeat(39)}`),
    `ffff${'x'.repeat(70_000)}`,
  ])
    t.throws(() => wantIn(body), { code: 'bad-request' }, body.slice(0, 20))
})

/** What comes out of the gate when the body goes in in these pieces, and the commits that it asked about. */
const pass = async (pieces: readonly string[], allow: boolean) => {
  const asked: string[] = []
  const gate = holdUntilWanted(async (commit) => {
    asked.push(commit)
    if (!allow) throw new Error('no')
  })
  const out = pipeline(Readable.from(pieces.map((piece) => Buffer.from(piece))), gate, text).catch(() => null)
  return { out: await out, asked }
}

t.test('however a body is cut, it goes through whole and is asked about once, or not at all', async () => {
  const bodies = fc.constantFrom(version0, version2, listing, '0000', version2.slice(0, 20))
  const cuts = fc.array(fc.nat(200), { maxLength: 6 })
  await fc.assert(
    fc.asyncProperty(bodies, cuts, fc.boolean(), async (body, where, allow) => {
      const edges = [0, ...where.filter((cut) => cut < body.length).sort((a, b) => a - b), body.length]
      const pieces = edges.slice(1).map((end, index) => body.slice(edges[index], end))
      const { out, asked } = await pass(
        pieces.filter((piece) => piece !== ''),
        allow,
      )
      const wants = body === version0 || body === version2
      if (asked.length !== (wants ? 1 : 0)) return false
      return wants && !allow ? out === null : out === body
    }),
  )
})

t.test('a head without an end is not held for ever', async (t) => {
  const { out, asked } = await pass(
    Array.from({ length: 2000 }, () => line('x'.repeat(1000))),
    true,
  )
  t.equal(out, null)
  t.same(asked, [])
})
