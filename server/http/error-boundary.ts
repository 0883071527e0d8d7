/** The one place where what was thrown becomes an answer. */
import type { Middleware } from 'koa'
import { errorPage } from '../../views/error.ts'
import { paths } from '../../views/paths.ts'
import type { Viewer } from '../../views/viewer.ts'
import { type ErrorCode, ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import { sessionOf } from './access.ts'
import type { Context } from './context.ts'
import { viewerOf } from './viewer.ts'

/** Errors of the body parser and of Koa carry a status; only these are for a client to see. */
const fromStatus = (status: number): ForgeError | null => {
  const known: Readonly<Record<number, [ErrorCode, string]>> = {
    400: ['bad-request', 'The request could not be read.'],
    413: ['too-large', 'The request is too large.'],
    415: ['unsupported-media-type', 'Send JSON, or a form from one of our pages.'],
  }
  const entry = known[status]
  return entry ? new ForgeError(...entry) : null
}

const toForgeError = (error: unknown): ForgeError => {
  if (error instanceof ForgeError) return error
  const status = error instanceof Error && 'status' in error ? Number(error.status) : 500
  return fromStatus(status) ?? new ForgeError('internal', 'The forge failed. Its log says more; try again.')
}

const codeOf = (status: number): ForgeError =>
  status === 405
    ? new ForgeError('method-not-allowed', 'This address does not take that method.')
    : new ForgeError('not-found', 'There is nothing under this address.')

/** The page of ours whose form this is. */
const originOf = (ctx: Context): string | null => {
  const referer = ctx.method === 'POST' ? URL.parse(ctx.get('referer')) : null
  return referer?.host === ctx.host && !referer.pathname.startsWith('//') ? referer.pathname : null
}

/** A page about an error must not fail as well. */
const viewerOrStranger = (forge: Pick<Forge, 'sessions'>, ctx: Context): Promise<Viewer> =>
  sessionOf(forge, ctx).then(viewerOf, () => viewerOf(null))

const renderPage = async (
  forge: Pick<Forge, 'sessions'>,
  ctx: Context,
  { status, code, message, issues }: ForgeError,
): Promise<string> => {
  const back = originOf(ctx)
  const path = back ?? (ctx.method === 'GET' ? ctx.path : paths.home)
  return errorPage({ viewer: await viewerOrStranger(forge, ctx), path, back, status, code, message, issues })
}

export const errorBoundary =
  (forge: Pick<Forge, 'log' | 'sessions'>): Middleware =>
  async (ctx, next) => {
    let failure: ForgeError | null = null
    try {
      await next()
      const unanswered = ctx.respond !== false && ctx.body == null && [404, 405, 501].includes(ctx.status)
      if (unanswered) failure = codeOf(ctx.status)
    } catch (error) {
      failure = toForgeError(error)
      if (failure.code === 'internal') forge.log.error({ err: error, path: ctx.path }, 'a request failed')
    }
    if (!failure) return
    const { status, code, message, issues, retryAfterSeconds } = failure
    ctx.status = status
    if (retryAfterSeconds !== null) ctx.set('retry-after', String(retryAfterSeconds))
    if (ctx.path.startsWith('/api/')) {
      if (status === 401) ctx.set('www-authenticate', 'Bearer realm="Agent Workspace"')
      ctx.body = { error: { code, message, ...(issues.length > 0 ? { issues } : {}) } }
      return
    }
    ctx.type = 'html'
    ctx.body = await renderPage(forge, ctx, failure)
  }
