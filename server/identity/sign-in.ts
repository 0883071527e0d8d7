/** Signing in with a token, and out. */
import { z } from 'zod'
import { paths } from '../../views/paths.ts'
import { signInPage } from '../../views/sign-in.ts'
import { ForgeError } from '../errors.ts'
import type { PageHandler, SignedInHandler } from '../http/access.ts'
import { type Context, parseBody } from '../http/context.ts'
import {
  clearSessionCookie,
  issueSignInValue,
  readSessionCookie,
  setSessionCookie,
  signInValueMatches,
} from '../http/cookies.ts'

/** Only a path of our own: `//host` and `/\host` are other people's sites to a browser. */
const localPath = (text: unknown): string =>
  typeof text === 'string' && /^\/(?![/\\])[^\\\s]*$/.test(text) ? text : paths.home

const render = (ctx: Context, next: string, problem: string | null): void => {
  ctx.type = 'html'
  ctx.body = signInPage({ csrf: issueSignInValue(ctx), next, problem })
}

export const showSignIn: PageHandler = async (_forge, ctx, session) => {
  const next = localPath(ctx.query['next'])
  if (session) ctx.redirect(next)
  else render(ctx, next, null)
}

const form = z.object({ token: z.string().trim().max(512), next: z.string().optional(), _csrf: z.string() })

export const submitSignIn: PageHandler = async ({ verify, sessions }, ctx) => {
  const { token, next, _csrf } = parseBody(ctx, form)
  if (!signInValueMatches(ctx, _csrf)) {
    throw new ForgeError('csrf-mismatch', 'The sign-in page was too old, or cookies are off. Load it again.')
  }
  const identity = await verify(ctx.req, token)
  if (identity?.kind !== 'person') {
    ctx.status = identity ? 403 : 401
    const problem = identity
      ? 'A job’s token pushes to its own refs. Sign in with a personal access token.'
      : 'This token is not valid: mistyped, expired or revoked.'
    render(ctx, localPath(next), problem)
    return
  }
  const { cookie, expires } = await sessions.open(identity)
  setSessionCookie(ctx, cookie, expires)
  ctx.status = 303
  ctx.redirect(localPath(next))
}

export const submitSignOut: SignedInHandler = async ({ sessions }, ctx) => {
  const cookie = readSessionCookie(ctx)
  if (cookie !== null) await sessions.close(cookie)
  clearSessionCookie(ctx)
  ctx.status = 303
  ctx.redirect(paths.home)
}
