/** The forge's two cookies. `__Host-` makes the browser refuse them from other hosts, paths and plain HTTP. */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { Context } from './context.ts'

const session = '__Host-session'
/** Ties the sign-in form to the browser that asked for it, before there is a session. */
const signIn = '__Host-sign-in'

const options = { httpOnly: true, secure: true, sameSite: 'lax', path: '/', overwrite: true } as const

const set = (ctx: Context, name: string, value: string | null, expires?: Date): void => {
  // TLS may end at a proxy; the browser's side is what `Secure` is about.
  ctx.cookies.secure = true
  ctx.cookies.set(name, value, { ...options, ...(expires ? { expires } : {}) })
}

export const readSessionCookie = (ctx: Context): string | null => ctx.cookies.get(session) ?? null

export const setSessionCookie = (ctx: Context, value: string, expires: number): void =>
  set(ctx, session, value, new Date(expires))

export const clearSessionCookie = (ctx: Context): void => set(ctx, session, null)

/** The value that the sign-in form must send back. */
export const issueSignInValue = (ctx: Context): string => {
  const value = ctx.cookies.get(signIn) ?? randomBytes(32).toString('base64url')
  set(ctx, signIn, value)
  return value
}

export const signInValueMatches = (ctx: Context, given: string): boolean => {
  const expected = Buffer.from(ctx.cookies.get(signIn) ?? '')
  const actual = Buffer.from(given)
  return expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual)
}
