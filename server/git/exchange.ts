/** One request and its git child: bytes in, bytes out, and every way in which either can stop. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { ForgeError } from '../errors.ts'
import { collectStart, type GitChild, GitError } from './child.ts'
import type { GitLimits } from './git-limits.ts'
import { decodersOf } from './request-body.ts'
import { roomIn } from './room-in.ts'
import type { Service } from './route.ts'

/** A fetch says what it wants within this time: until then its process does nothing but wait. Milliseconds. */
const wantsMs = 60_000

/** How long git may take to notice that its input has ended. */
const graceMs = 5000

/** Headers of every answer that git reads. */
export const gitHeaders = (type: string): Record<string, string> => ({
  'content-type': type,
  'cache-control': 'no-cache, max-age=0, must-revalidate',
  'x-content-type-options': 'nosniff',
})

class ClientLeft extends Error {}

/**
 * Feeds the body to git. Resolves with why it stopped short, or null when git has had all that it wanted. The request
 * itself is never destroyed: an answer may still have to reach the client.
 */
const feed = async (
  request: IncomingMessage,
  child: GitChild,
  service: Service,
  packBytes: number,
  gate: Transform | null,
): Promise<ForgeError | ClientLeft | null> => {
  try {
    const decoders = decodersOf(request, service, packBytes)
    if (request.destroyed && !request.readableEnded) throw new ClientLeft()
    const [first] = decoders
    request.pipe(first)
    request.once('close', () => {
      if (!request.complete) first.destroy(new ClientLeft())
    })
    await pipeline([...decoders, ...(gate ? [gate] : []), child.stdin])
    return null
  } catch (error) {
    child.stdin.destroy()
    // The rest of the body is read and dropped: a client that still sends would not see an answer.
    request.resume()
    if (error instanceof ForgeError || error instanceof ClientLeft) return error
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (code.startsWith('Z_'))
      return new ForgeError('bad-request', 'The body is not what its Content-Encoding says.')
    // git closed its input early, and says why on its output.
    return null
  }
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
 * Runs one exchange to the end of its child. Throws ForgeError while nothing has been answered, and GitError when git
 * failed later: the client has read why in git's own protocol, and the owner should too. An answer that git was kept
 * from ending is cut off. A push whose whole body arrived is completed although its client has left. `gate`: what the
 * decoded body has to pass on its way to git.
 */
export const exchange = async (
  request: IncomingMessage,
  response: ServerResponse,
  child: GitChild,
  service: Service,
  { packBytes, idleMs }: GitLimits,
  gate: Transform | null = null,
): Promise<void> => {
  const complaint = collectStart(child.stderr, 4096).catch(() => '')
  const drop = (): void => void response.destroy()
  request.setTimeout(idleMs, drop)
  // A fetch without its client is work for nobody.
  if (service === 'upload-pack') {
    if (response.destroyed) child.end()
    response.once('close', () => child.end())
  }
  const fed = feed(request, child, service, packBytes, gate)
  const forwarded = forward(child, response, `application/x-git-${service}-result`).catch(() => 0)
  const late = service === 'upload-pack' ? setTimeout(drop, wantsMs) : undefined
  const stopped = await fed
  clearTimeout(late)
  // git removes what it had stored by itself when its input ends in the middle; it is made to end only if it does not.
  const overdue = stopped ? setTimeout(() => child.end(), graceMs) : undefined
  const bytes = await forwarded
  const exit = await child.ended
  clearTimeout(overdue)
  request.socket?.setTimeout(idleMs)
  // A client that sends on after its answer is not waited for.
  response.once('finish', () => {
    if (!request.complete) setTimeout(() => request.destroy(), graceMs).unref()
  })
  if (stopped instanceof ClientLeft || response.destroyed) return
  if (response.headersSent) {
    if (stopped || exit === null) response.destroy()
    else response.end()
    if (!stopped && exit !== 0) throw new GitError('git-failed', exit, await complaint)
    return
  }
  if (stopped) throw stopped
  if (exit !== 0 || bytes > 0) throw new ForgeError('bad-request', 'git could not read this request.')
  response.writeHead(200, gitHeaders(`application/x-git-${service}-result`)).end()
}
