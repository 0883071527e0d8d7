/** Requests by address: the first thing that is looked at, before any work. */
import type { IncomingMessage } from 'node:http'
import type { Middleware } from 'koa'
import type { RateLimit } from './rate-limit.ts'

export const requestLimit =
  (requests: RateLimit, addressOf: (request: IncomingMessage) => string): Middleware =>
  async (ctx, next) => {
    const address = addressOf(ctx.req)
    const wait = requests.wait(address, performance.now())
    if (wait === 0) {
      requests.spend(address, performance.now())
      await next()
      return
    }
    ctx.status = 429
    ctx.set('retry-after', String(wait))
    ctx.set('cache-control', 'no-store')
    const message = `Too many requests. Try again in ${wait} s.`
    ctx.body = ctx.path.startsWith('/api/')
      ? { error: { code: 'too-many-requests', message } }
      : `${message}\n`
  }
