/** The forge as a Koa application: request log and limit → git, or error boundary → pages and API. */
import Koa from 'koa'
import type { Forge } from './forge.ts'
import { isGitPath } from './git/route.ts'
import { basePathOf, underBasePath } from './http/base-path.ts'
import { errorBoundary } from './http/error-boundary.ts'
import { openRateLimit } from './http/rate-limit.ts'
import { requestLimit } from './http/request-limit.ts'
import { requestLog } from './http/request-log.ts'
import { securityHeaders } from './http/security-headers.ts'
import { openRoutes } from './routes.ts'

/** Koa throws at each look at the path of a target that is no URL. */
const refuseUnreadable: Koa.Middleware = async (ctx, next) => {
  if (URL.canParse(ctx.url, 'http://forge.invalid')) await next()
  else ctx.status = 400
}

/** Takes targets without the path that `PUBLIC_URL` may have: see `mountForge`. */
export const openApp = (forge: Forge): Koa => {
  const app = new Koa()
  const routes = openRoutes(forge)
  const base = basePathOf(forge.config.publicUrl)
  app.use(refuseUnreadable)
  app.use(requestLog(forge))
  app.use(requestLimit(openRateLimit({ perMinute: forge.config.rates.perAddress }), forge.addressOf))
  app.use(async (ctx, next) => {
    if (isGitPath(ctx.path)) {
      // git's bodies are streams of any size, answered on the raw request and response.
      ctx.respond = false
      await forge.git.serve(ctx.req, ctx.res)
    } else await next()
  })
  if (base !== '') app.use(underBasePath(base))
  app.use(errorBoundary(forge))
  app.use(securityHeaders)
  app.use(async (ctx, next) => {
    // What one reader may see, a cache on the way would show to the next.
    ctx.set('cache-control', 'no-store')
    await next()
  })
  app.use(routes.routes())
  app.use(routes.allowedMethods())
  // Faults of a connection that is gone; everything else is caught by the boundary.
  app.on('error', (error: unknown) => forge.log.debug({ err: error }, 'a connection failed'))
  return app
}
