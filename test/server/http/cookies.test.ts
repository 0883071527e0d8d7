import t from 'tap'
import {
  clearSessionCookie,
  issueSignInValue,
  readSessionCookie,
  setSessionCookie,
  signInValueMatches,
} from '../../../server/http/cookies.ts'
import { contextOf } from './context-of.ts'

const setBy = (ctx: ReturnType<typeof contextOf>): string => String(ctx.response.get('set-cookie'))

t.test('the session’s cookie is kept from scripts, other sites, other hosts and plain HTTP', async (t) => {
  const ctx = contextOf({})
  setSessionCookie(ctx, 'value', Date.parse('2026-12-31T00:00:00.000Z'))
  const text = setBy(ctx)
  t.match(text, /^__Host-session=value;/)
  for (const part of [
    /; path=\/(;|$)/,
    /; secure/,
    /; httponly/,
    /; samesite=lax/,
    /; expires=Thu, 31 Dec 2026/,
  ])
    t.match(text, part)
  t.notMatch(text, /domain/i)
})

t.test('signing out takes the cookie away', async (t) => {
  const ctx = contextOf({})
  clearSessionCookie(ctx)
  t.match(setBy(ctx), /^__Host-session=; .*expires=Thu, 01 Jan 1970/)
})

t.test('only a cookie of that very name is read', async (t) => {
  t.equal(readSessionCookie(contextOf({})), null)
  t.equal(readSessionCookie(contextOf({ headers: { cookie: 'session=x; __Host-sessions=y' } })), null)
  t.equal(readSessionCookie(contextOf({ headers: { cookie: 'a=b; __Host-session=x' } })), 'x')
})

t.test('a sign-in form is of the browser that it was made for', async (t) => {
  const value = issueSignInValue(contextOf({}))
  t.ok(value.length >= 43)
  const back = contextOf({ headers: { cookie: `__Host-sign-in=${value}` } })
  t.equal(signInValueMatches(back, value), true)
  t.equal(issueSignInValue(back), value, 'a second form of the same browser goes along with the first')
  for (const other of ['', 'x', value.slice(1), `${value}x`, issueSignInValue(contextOf({}))])
    t.equal(signInValueMatches(back, other), false)
  t.equal(signInValueMatches(contextOf({}), ''), false, 'no cookie matches nothing')
  t.equal(signInValueMatches(contextOf({ headers: { cookie: '__Host-sign-in=' } }), ''), false)
})
