/** The answer to a git request that is not served: a status, and a reason that git shows as it is. */
import type { ServerResponse } from 'node:http'
import { ForgeError } from '../errors.ts'

/** Answers what was thrown. When an answer has begun, its connection ends, so that git sees that it is not whole. */
export const refuse = (response: ServerResponse, error: unknown): void => {
  if (response.writableEnded) return
  if (response.headersSent || response.destroyed) {
    response.destroy()
    return
  }
  const known =
    error instanceof ForgeError ? error : new ForgeError('internal', 'The forge failed. Try again.')
  response.statusCode = known.status
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.setHeader('cache-control', 'no-store')
  if (known.allow !== null) response.setHeader('allow', known.allow)
  if (known.retryAfterSeconds !== null) response.setHeader('retry-after', known.retryAfterSeconds)
  if (known.status === 401)
    response.setHeader('www-authenticate', 'Basic realm="Agent Workspace", charset="UTF-8"')
  response.end(`${known.message}\n`)
}
