/** The forge as a part of somebody's own Koa application. */
import type { Middleware } from 'koa'
import { openApp } from './app.ts'
import type { Forge } from './forge.ts'
import { basePathOf, targetBelow } from './http/base-path.ts'

/** Answers what lies below the path of `PUBLIC_URL`, pages, API and git alike; everything else goes on. */
export const mountForge = (forge: Forge): Middleware => {
  const base = basePathOf(forge.config.publicUrl)
  const handle = openApp(forge).callback()
  return async (ctx, next) => {
    const target = targetBelow(base, ctx.req.url ?? '')
    if (target === null) {
      await next()
      return
    }
    ctx.respond = false
    ctx.req.url = target
    await handle(ctx.req, ctx.res)
  }
}
