import { createHash, timingSafeEqual } from 'node:crypto'
import type { Middleware } from 'koa'
import { RunnerError } from './errors.ts'

const hash = (text: string): Buffer => createHash('sha256').update(text).digest()

/** Lets a request pass only with the shared secret as its Bearer token, compared in constant time. */
export const authenticate = (secret: string): Middleware => {
  const expected = hash(`Bearer ${secret}`)
  return async (ctx, next) => {
    if (!timingSafeEqual(hash(ctx.get('authorization')), expected))
      throw new RunnerError(
        'bad-secret',
        'Forge and runner do not have the same WORKSPACE_CONTROLLER_SECRET.',
      )
    await next()
  }
}
