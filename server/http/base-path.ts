/**
 * The path that the forge hangs under, where it shares a host: `/forge` of https://example.org/forge. Inside, every
 * path begins at the forge's own root; here the base is taken off what comes in and put onto what goes out.
 */
import type { Middleware } from 'koa'

/** Without a slash at its end; empty at the root of a host. */
export const basePathOf = (publicUrl: string): string => new URL(publicUrl).pathname.replace(/\/$/, '')

/** What a request's target is to the forge, or null when it is not below the base. Pure. */
export const targetBelow = (base: string, target: string): string | null => {
  if (base === '') return target
  if (!target.startsWith(base)) return null
  const rest = target.slice(base.length)
  if (rest === '' || rest.startsWith('?')) return `/${rest}`
  return rest.startsWith('/') ? rest : null
}

/** Every attribute of our pages that holds a URL. Text cannot look like one: its quotation marks are escaped. */
const localUrls = / (href|src|action|data-live)="\/(?!\/)/g

/** Puts the base onto the local URLs of a page. Pure. */
export const rebase = (base: string, page: string): string => page.replaceAll(localUrls, ` $1="${base}/`)

/** For a request whose target has no base any more: puts it onto redirects and pages, and takes it off the Referer. */
export const underBasePath =
  (base: string): Middleware =>
  async (ctx, next) => {
    const { headers } = ctx.req
    const referer = URL.parse(headers.referer ?? '')
    if (referer) headers.referer = referer.origin + (targetBelow(base, referer.pathname) ?? '/')
    await next()
    const location = ctx.response.get('location')
    if (/^\/(?!\/)/.test(location)) ctx.set('location', base + location)
    if (typeof ctx.body === 'string' && ctx.response.is('html')) ctx.body = rebase(base, ctx.body)
  }
