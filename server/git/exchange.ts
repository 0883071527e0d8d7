/** One request and its git child: bytes in, bytes out, and every way in which either can stop. */

import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { ForgeError } from '../errors.ts'
import type { GitChild } from './child.ts'
import { decodeBody } from './request-body.ts'
import type { Service } from './route.ts'

/** A client that neither sends nor takes a byte for so long has gone. Milliseconds. */
const idleMs = 120_000

/** How long git may take to notice that its input has ended. */
const graceMs = 5000

/** Headers of every answer that git reads. */
export const gitHeaders = (type: string): Record<string, string> => ({
  'content-type': type,
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  'x-content-type-options': 'nosniff',
})

/** Feeds the body to git. Resolves with why it stopped short, or null when git has had all of it. */
const feed = async (
  request: IncomingMessage,
  child: GitChild,
  service: Service,
): Promise<ForgeError | 'client-left' | null> => {
  try {
    const [body, ...transforms] = decodeBody(request, service)
    await pipeline([body, ...transforms, child.stdin])
    return null
  } catch (error) {
    child.stdin.destroy()
    if (error instanceof ForgeError) return error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_'))
      return new ForgeError('bad-request', 'The body is not what its Content-Encoding says.')
    // git closed its input early and says why on its output; the rest of the body is read and dropped, since a
    // client that still sends would not see an answer.
    if (code === 'EPIPE' || (code === 'ERR_STREAM_PREMATURE_CLOSE' && !request.destroyed)) {
      request.resume()
      return null
    }
    return request.complete ? null : 'client-left'
  }
}

/** Resolves when the response takes more, or never will. */
const roomIn = async (response: ServerResponse): Promise<void> => {
  const settled = new AbortController()
  const { signal } = settled
  await Promise.race([once(response, 'drain', { signal }), once(response, 'close', { signal })])
  settled.abort()
}

/** Passes git's output on with backpressure. When the client goes, git's output is still read to its end. */
const forward = async (child: GitChild, response: ServerResponse, type: string): Promise<number> => {
  let bytes = 0
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (response.destroyed || response.writableEnded) continue
    if (!response.headersSent) response.writeHead(200, gitHeaders(type))
    if (!response.write(chunk)) await roomIn(response)
  }
  return bytes
}

/**
 * Runs one exchange to the end of its child. Throws ForgeError while nothing has been answered; later faults end the
 * connection. A push whose whole body arrived is completed although its client has left.
 */
export const exchange = async (
  request: IncomingMessage,
  response: ServerResponse,
  child: GitChild,
  service: Service,
): Promise<void> => {
  const drop = (): void => void response.destroy()
  request.setTimeout(idleMs, drop)
  // A fetch without its client is work for nobody.
  if (service === 'upload-pack') response.once('close', () => child.end())
  const fed = feed(request, child, service)
  const forwarded = forward(child, response, `application/x-git-${service}-result`)
  const stopped = await fed
  // git removes what it had stored by itself when its input ends in the middle; it is made to end only if it does not.
  const overdue = stopped ? setTimeout(() => child.end(), graceMs) : undefined
  const bytes = await forwarded.catch(() => 0)
  const exit = await child.ended
  clearTimeout(overdue)
  request.setTimeout(0)
  if (stopped === 'client-left' || response.destroyed) return
  if (response.headersSent && exit === 0) {
    response.end()
    return
  }
  if (response.headersSent) {
    response.destroy()
    return
  }
  if (stopped) throw stopped
  if (exit === 0 && bytes === 0) {
    response.writeHead(200, gitHeaders(`application/x-git-${service}-result`)).end()
    return
  }
  throw new ForgeError('bad-request', 'git could not read this request.')
}
