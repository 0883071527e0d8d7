import http2 from 'node:http2'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream/promises'
import type { AllowedHost } from '../../server/protocol/runner.ts'
import { decide } from './decide.ts'
import { describeAuthority, type EgressDecision } from './decision.ts'
import { dial } from './dial.ts'
import { counting } from './meter.ts'
import { readHello } from './read-hello.ts'
import { EgressRefusal, type RefusalCode } from './refusal.ts'
import { type Lookup, resolveJudged } from './resolve.ts'

/** What all tunnels of one session share. */
export type TunnelContext = {
  readonly allow: readonly AllowedHost[]
  readonly lookup: Lookup
  readonly limits: {
    readonly helloMs: number
    readonly resolveMs: number
    readonly connectMs: number
    readonly tunnelMs: number
  }
  /** Called exactly once for each tunnel, before the first byte leaves. */
  readonly onDecision: (decision: EgressDecision) => void
  /** Payload of either direction. */
  readonly onBytes: (bytes: number) => void
  /** Resolves when the session ends. */
  readonly ended: Promise<void>
}

type Upstream = { readonly socket: Socket; readonly hello: Buffer }

/** Every step from the name to the connection, in the order that gives the least away. */
const admit = async (
  stream: http2.ServerHttp2Stream,
  authority: string,
  { allow, lookup, limits }: TunnelContext,
  gone: AbortSignal,
): Promise<Upstream> => {
  const name = decide(authority, allow)
  if (!name.allowed) throw new EgressRefusal(name.why)
  const addresses = await resolveJudged(name, lookup, limits.resolveMs, gone)
  if (stream.destroyed || stream.closed) throw new EgressRefusal('abandoned')
  stream.respond({ ':status': 200 })
  const hello = await readHello(stream, name.host, limits.helloMs)
  return { socket: await dial(name, addresses, limits.connectMs, gone), hello }
}

const statusOf = (code: RefusalCode): number => {
  if (code === 'not-connect') return 405
  return code === 'unresolved' ? 502 : 403
}

/** Before the 200 the client is told why; after it there is only a reset. */
const turnAway = (stream: http2.ServerHttp2Stream, refusal: EgressRefusal): void => {
  if (stream.destroyed || stream.closed) return
  if (stream.headersSent) {
    stream.destroy(refusal)
    return
  }
  // In a header, because a peer that opens no window could hold a body, and with it the stream, for ever.
  stream.respond(
    { ':status': statusOf(refusal.code), 'egress-refusal': refusal.message },
    { endStream: true },
  )
  stream.close(http2.constants.NGHTTP2_NO_ERROR)
}

/** Both directions until both have ended; an end of one is passed on, an error in one resets both. */
const relay = async (
  stream: http2.ServerHttp2Stream,
  { socket, hello }: Upstream,
  onBytes: (bytes: number) => void,
): Promise<void> => {
  onBytes(hello.length)
  // Whoever records or counts may have ended the session; a pipeline out of a closed stream may never settle.
  if (stream.destroyed || stream.closed) return
  socket.write(hello)
  await Promise.allSettled([
    pipeline(stream, counting(onBytes), socket),
    pipeline(socket, counting(onBytes), stream),
  ])
}

/** One stream of the wire from its CONNECT to its end. Rejects only where the code is wrong. */
export const runTunnel = async (
  stream: http2.ServerHttp2Stream,
  headers: http2.IncomingHttpHeaders,
  context: TunnelContext,
): Promise<void> => {
  const authority = headers[':authority'] ?? ''
  const gone = new AbortController()
  stream.once('close', () => gone.abort())
  // An error of the stream is always followed by its close, and is seen by whoever reads or writes.
  stream.on('error', () => {})
  const timeUp = Promise.withResolvers<void>()
  const timer = setTimeout(() => {
    // Not `close(code)`: with data under way Node sends no reset for it (24.21), and the peer would wait.
    stream.destroy(new Error('time is over'))
    timeUp.resolve()
  }, context.limits.tunnelMs)
  try {
    if (headers[':method'] !== 'CONNECT') throw new EgressRefusal('not-connect')
    const upstream = await admit(stream, authority, context, gone.signal)
    try {
      context.onDecision({ ...describeAuthority(authority), allowed: true, why: 'allowed' })
      // Last bytes for a server that does not read them would otherwise outlive stream and session.
      await Promise.race([relay(stream, upstream, context.onBytes), timeUp.promise, context.ended])
    } finally {
      upstream.socket.destroy()
    }
  } catch (error) {
    if (!(error instanceof EgressRefusal)) throw error
    context.onDecision({ ...describeAuthority(authority), allowed: false, why: error.code })
    turnAway(stream, error)
  } finally {
    clearTimeout(timer)
  }
}
