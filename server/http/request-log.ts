/** One line a request: what was asked, what was answered, how long it took. No query, no header, no body. */
import type { Middleware } from 'koa'
import type { Forge } from '../forge.ts'

export const requestLog =
  ({ log }: Pick<Forge, 'log'>): Middleware =>
  async (ctx, next) => {
    const from = performance.now()
    try {
      await next()
    } finally {
      const ms = Math.round(performance.now() - from)
      log.info({ method: ctx.method, path: ctx.path, status: ctx.res.statusCode, ms }, 'request')
    }
  }
