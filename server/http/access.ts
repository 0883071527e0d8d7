/** Who may call a route: each route in the table goes through exactly one of these. */
import type { Middleware } from 'koa'
import { paths } from '../../views/paths.ts'
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import type { Identity, Person } from '../identity/identity.ts'
import { csrfMatches, type Session } from '../identity/sessions.ts'
import { readBody, readStrangersBody } from './body.ts'
import type { Context } from './context.ts'
import { readSessionCookie } from './cookies.ts'

/** The session of the browser that asks, if it has one. */
export const sessionOf = async (forge: Pick<Forge, 'sessions'>, ctx: Context): Promise<Session | null> => {
  const cookie = readSessionCookie(ctx)
  return cookie === null ? null : forge.sessions.find(cookie)
}

const onlyPerson = (identity: Identity): Person => {
  switch (identity.kind) {
    case 'person':
      return identity
    case 'job':
      throw new ForgeError('forbidden', 'A job’s token pushes to its own refs and does nothing else.')
    case 'anonymous':
      throw new ForgeError('not-signed-in', 'This needs a personal access token.')
  }
}

export type PublicHandler = (forge: Forge, ctx: Context) => Promise<void>
export type PersonHandler = (forge: Forge, ctx: Context, person: Person) => Promise<void>
export type PageHandler = (forge: Forge, ctx: Context, session: Session | null) => Promise<void>
export type SignedInHandler = (forge: Forge, ctx: Context, session: Session) => Promise<void>

export const openAccess = (forge: Forge) => ({
  /** The API, for everybody: a wrong token is still refused. */
  anybody:
    (handler: PublicHandler): Middleware =>
    async (ctx) => {
      await forge.identify(ctx.req)
      await handler(forge, ctx)
    },

  /** The API, for a full personal token. A browser's session may read, never write: a form of another site could. */
  person:
    (handler: PersonHandler): Middleware =>
    async (ctx) => {
      const header = ctx.get('authorization') || undefined
      const session = header === undefined && ctx.method === 'GET' ? await sessionOf(forge, ctx) : null
      const asking = session ? session.person : onlyPerson(await forge.identify(ctx.req))
      await readBody(ctx)
      await handler(forge, ctx, asking)
    },

  /** A page for everybody, with what a signed-in person sees more. */
  page:
    (handler: PageHandler): Middleware =>
    async (ctx) => {
      const session = await sessionOf(forge, ctx)
      await readStrangersBody(ctx)
      await handler(forge, ctx, session)
    },

  /** A page for signed-in people; others are asked to sign in and come back. */
  signedIn:
    (handler: SignedInHandler): Middleware =>
    async (ctx) => {
      const session = await sessionOf(forge, ctx)
      if (session) await handler(forge, ctx, session)
      else ctx.redirect(paths.signInFrom(ctx.url))
    },

  /** A form of one of our own pages, posted by the person it was made for. */
  form:
    (handler: SignedInHandler): Middleware =>
    async (ctx) => {
      const session = await sessionOf(forge, ctx)
      if (!session) throw new ForgeError('not-signed-in', 'Your session is over. Sign in and do it again.')
      await readBody(ctx)
      const { _csrf: given } = (ctx.request.body ?? {}) as Readonly<Record<string, unknown>>
      if (typeof given !== 'string' || !csrfMatches(session, given)) {
        throw new ForgeError(
          'csrf-mismatch',
          'This form is not from your session. Go back, reload the page, try again.',
        )
      }
      await handler(forge, ctx, session)
    },
})
