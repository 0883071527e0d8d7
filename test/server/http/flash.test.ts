import t from 'tap'
import { flashOf, redirectDone } from '../../../server/http/flash.ts'
import { contextOf } from './context-of.ts'

t.test('what was done is said on the page that follows', async (t) => {
  const ctx = contextOf({ method: 'POST' })
  redirectDone(ctx, '/repos/hello', 'approved')
  t.equal(ctx.status, 303)
  t.equal(ctx.response.get('location'), '/repos/hello?done=approved')
  t.match(flashOf(contextOf({ url: '/repos/hello?done=approved' })), { tone: 'good', text: /^Approved/ })
})

t.test('nobody can make a page say anything else', async (t) => {
  for (const query of [
    '',
    '?done=',
    '?done=Approved',
    '?done=<b>',
    '?done=approved&done=rejected',
    '?done=constructor',
    '?other=approved',
  ])
    t.equal(flashOf(contextOf({ url: `/${query}` })), null, query)
})
