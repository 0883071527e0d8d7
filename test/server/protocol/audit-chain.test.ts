import { createHash } from 'node:crypto'
import fc from 'fast-check'
import t from 'tap'
import { BrokenChain, genesis, readLine, writeLine } from '../../../server/protocol/audit-chain.ts'
import { created, now, rejected } from '../audit/entries.ts'

t.test('what is written is read back, whatever text is in it', async (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (reason) => {
      const { line, head } = writeLine(genesis, rejected(reason), now)
      const entry = readLine(genesis, line)
      if (line.includes('\n') || entry.hash !== head.hash) throw new Error('not one line')
      // A lone half of a surrogate pair cannot be stored; JSON keeps it by its escape.
      return entry.type === 'rejected' && entry.reason === reason
    }),
  )
  t.match(readLine(genesis, writeLine(genesis, created, now).line), {
    seq: 1,
    at: '2026-11-30T12:00:00.000Z',
    prev: genesis.hash,
    ...created,
  })
})

t.test('a line can be verified with nothing but SHA-256: the hash is of the text before it', async (t) => {
  const { line, head } = writeLine(genesis, created, now)
  const [text = ''] = line.split(',"hash":"')
  t.equal(createHash('sha256').update(text).digest('hex'), head.hash)
})

t.test('a line with any one character changed, left out or put in is refused', async () => {
  const { line } = writeLine(genesis, rejected('because, "hash":"it",was wrong'), now)
  const change = fc.tuple(
    fc.nat({ max: line.length - 1 }),
    fc.constantFrom('', ' ', '0', 'f', '"', ',', '}', '\\'),
    fc.nat({ max: 1 }),
  )
  fc.assert(
    fc.property(change, ([at, text, removed]) => {
      const altered = line.slice(0, at) + text + line.slice(at + removed)
      if (altered === line) return
      try {
        readLine(genesis, altered)
      } catch (error) {
        if (error instanceof BrokenChain) return
        throw error
      }
      throw new Error(`taken: ${altered}`)
    }),
    { numRuns: 1000 },
  )
})

t.test('a line of another place in the chain is refused, and the error says where', async (t) => {
  const first = writeLine(genesis, created, now)
  const second = writeLine(first.head, created, now)
  readLine(first.head, second.line)
  t.throws(() => readLine(genesis, second.line), {
    code: 'audit-chain-broken',
    seq: 1,
    message: /out of order/,
  })
  t.throws(() => readLine(second.head, second.line), { code: 'audit-chain-broken', seq: 3 })
})

const seal = (body: string): string => `${body},"hash":"${createHash('sha256').update(body).digest('hex')}"}`

t.test('a line whose hash is right and whose content is not is refused as well', async (t) => {
  const { line } = writeLine(genesis, created, now)
  const [body = ''] = line.split(',"hash":"')
  readLine(genesis, seal(body))
  for (const forged of [
    '',
    '{',
    body.slice(0, -3),
    body.replace('repository-created', 'unheard-of'),
    body.replace('"seq":1', '"seq":2'),
    '[1',
    'null',
  ])
    t.throws(() => readLine(genesis, seal(forged)), { code: 'audit-chain-broken' }, forged)
})
