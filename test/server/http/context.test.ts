import t from 'tap'
import { z } from 'zod'
import { type Context, pageOf, parseBody, parseParam, toPage } from '../../../server/http/context.ts'
import { jobIdText } from '../../../server/protocol/ids.ts'
import { contextOf } from './context-of.ts'

const page = (query: string) => pageOf(contextOf({ url: `/?${query}` }), jobIdText)

t.test('a page of a list is 50 items from the beginning, unless it is asked for otherwise', async (t) => {
  t.same(page(''), { after: null, limit: 50 })
  t.same(page('after=42&limit=200'), { after: 42, limit: 200 })
})

t.test('a page that cannot be meant is refused', async (t) => {
  for (const query of [
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=',
    'limit=x',
    'limit=1&limit=2',
    'after=',
    'after=x',
    'after=0',
    'after=1&after=2',
  ])
    t.throws(() => page(query), { code: 'bad-request', status: 400 }, query)
})

t.test('walking a list by its pages gives each item once, whatever the size of a page', async (t) => {
  const all = Array.from({ length: 11 }, (_, n) => String(n).padStart(2, '0'))
  for (let limit = 1; limit <= 12; limit += 1) {
    const seen: string[] = []
    let after: string | null = null
    do {
      const rest: string[] = all.filter((item) => after === null || item > after).slice(0, limit + 1)
      const { items, next } = toPage(rest, limit, (item) => item)
      seen.push(...items)
      after = next
    } while (after !== null)
    t.same(seen, all)
  }
  t.same(toPage([], 5, String), { items: [], next: null })
})

t.test('a body of the wrong shape is refused with the place of each fault', async (t) => {
  const shape = z.strictObject({ name: z.string(), inner: z.object({ n: z.number() }).optional() })
  const body = (given: unknown): Context => contextOf({ body: given })
  t.same(parseBody(body({ name: 'x' }), shape), { name: 'x' })
  for (const given of [undefined, null, [], 'text', {}, { name: 1 }, { name: 'x', more: 1 }])
    t.throws(() => parseBody(body(given), shape), { code: 'bad-request' }, JSON.stringify(given))
  t.throws(() => parseBody(body({ name: 'x', inner: { n: 'y' } }), shape), {
    code: 'bad-request',
    issues: [{ path: 'inner.n' }],
  })
})

t.test('a part of the path that names nothing is not found', async (t) => {
  const ctx = contextOf({ params: { id: '42' } })
  t.equal(parseParam(ctx, 'id', jobIdText), 42)
  t.throws(() => parseParam(ctx, 'other', jobIdText), { code: 'not-found' })
  t.throws(() => parseParam(contextOf({ params: { id: '../1' } }), 'id', jobIdText), { code: 'not-found' })
})
