/** The one place where what was thrown becomes an answer. */
import type { Middleware } from 'koa'
import type { Logger } from 'pino'
import { ZodError } from 'zod'
import { RunnerError } from './errors.ts'

const toRunnerError = (error: unknown): RunnerError => {
  if (error instanceof RunnerError) return error
  if (error instanceof ZodError) return new RunnerError('bad-request', error.message)
  const status = error instanceof Error && 'status' in error ? error.status : 500
  if (status === 413) return new RunnerError('too-large', 'The request is too large.')
  if (status === 400) return new RunnerError('bad-request', 'The request is not JSON.')
  return new RunnerError('internal', 'The runner failed. Its log says more.')
}

export const errorBoundary =
  (log: Logger): Middleware =>
  async (ctx, next) => {
    try {
      await next()
      if (ctx.status === 404 && ctx.body == null)
        throw new RunnerError('not-found', 'There is nothing under this address.')
    } catch (error) {
      const { code, message, status } = toRunnerError(error)
      if (code === 'internal') log.error({ err: error, path: ctx.path }, 'a request failed')
      ctx.status = status
      ctx.body = { error: { code, message } }
    }
  }
