/** The runner's HTTP API; `runnerPath` in server/protocol/runner.ts says what each URL promises. */
import { createReadStream } from 'node:fs'
import fs from 'node:fs/promises'
import { Readable } from 'node:stream'
import { bodyParser } from '@koa/bodyparser'
import Router, { type RouterContext } from '@koa/router'
import Koa from 'koa'
import { z } from 'zod'
import { attemptNumberText, jobIdText } from '../../server/protocol/ids.ts'
import { attemptSpec, courierToken, type RunnerStatus } from '../../server/protocol/runner.ts'
import { AttemptFailure } from '../jobs/attempt-failure.ts'
import type { AttemptKey, Attempts, KnownAttempt } from '../jobs/attempts.ts'
import type { Runner } from '../runner.ts'
import { authenticate } from './authenticate.ts'
import { errorBoundary } from './error-boundary.ts'
import { RunnerError } from './errors.ts'

type Parts = {
  readonly runner: Runner
  readonly attempts: Attempts
  readonly secret: string
  readonly engineVersion: string
}

/** A task of 64 KiB with every byte escaped, a certificate, and the rest. */
const bodyLimit = '1mb'

const attemptPath = '/v1/jobs/:job/:attempt'
const afterText = z
  .string()
  .regex(/^\d{1,15}$/)
  .transform(Number)

export const createApp = ({ runner, attempts, secret, engineVersion }: Parts): Koa => {
  const find = (ctx: RouterContext): KnownAttempt => {
    const attempt = attempts.find(keyOf(ctx))
    if (attempt === undefined)
      throw new RunnerError('unknown-attempt', 'This runner does not know the attempt, or has forgotten it.')
    return attempt
  }

  const open = new Router()
  open.get('/healthz', (ctx) => {
    ctx.body = 'ok\n'
  })

  const router = new Router()
  router.get('/v1/status', (ctx) => {
    const status: RunnerStatus = {
      sandboxImage: runner.sandboxImage,
      engine: engineVersion,
      active: attempts.active(),
    }
    ctx.body = status
  })
  router.put(attemptPath, (ctx) => {
    const spec = attemptSpec.parse(ctx.request.body)
    const { job, attempt } = keyOf(ctx)
    if (spec.job !== job || spec.attempt !== attempt)
      throw new RunnerError('bad-request', 'The body is of another attempt than the URL.')
    const answer = attempts.take(spec)
    if (answer === 'conflict')
      throw new RunnerError('attempt-conflict', 'This attempt was begun with another specification.')
    ctx.status = answer === 'taken' ? 201 : 200
    ctx.body = {}
  })
  router.delete(attemptPath, async (ctx) => {
    if (!(await attempts.forget(keyOf(ctx))))
      throw new RunnerError('attempt-active', 'The attempt has not ended: cancel it first.')
    ctx.status = 204
  })
  router.get(`${attemptPath}/events`, (ctx) => {
    const after = afterText.parse(ctx.query['after'] ?? '0')
    const gone = new AbortController()
    ctx.res.once('close', () => gone.abort())
    ctx.type = 'application/x-ndjson'
    ctx.body = Readable.from(find(ctx).events.follow(after, gone.signal), { objectMode: false })
    // So that the follower knows at once that it was heard.
    ctx.flushHeaders()
  })
  router.put(`${attemptPath}/token`, (ctx) => {
    find(ctx).tokens.give(courierToken.parse(ctx.request.body).token)
    ctx.status = 204
  })
  router.post(`${attemptPath}/cancel`, (ctx) => {
    find(ctx).stop(new AttemptFailure('cancelled', 'A person cancelled the job.'))
    ctx.status = 202
    ctx.body = {}
  })
  router.get(`${attemptPath}/salvaged`, async (ctx) => {
    const { patch } = find(ctx).folder
    const found = await fs.stat(patch).catch(() => null)
    if (found === null) throw new RunnerError('not-found', 'Nothing was salvaged.')
    ctx.type = 'text/x-diff'
    ctx.length = found.size
    ctx.body = createReadStream(patch)
  })

  const app = new Koa()
  // Answers that were cut short: the follower left.
  app.on('error', (error: unknown) => runner.log.debug({ err: error }, 'an answer was cut short'))
  app.use(errorBoundary(runner.log))
  app.use(open.routes())
  app.use(authenticate(secret))
  app.use(bodyParser({ enableTypes: ['json'], jsonLimit: bodyLimit }))
  app.use(router.routes())
  return app
}

const keyOf = ({ params }: RouterContext): AttemptKey => ({
  job: jobIdText.parse(params['job']),
  attempt: attemptNumberText.parse(params['attempt']),
})
