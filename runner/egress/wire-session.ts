/** The runner's end of the wire: HTTP/2 over the pipe to `runner/sandbox/wire.ts`, every stream decided. */
import http2 from 'node:http2'
import { Duplex, pipeline } from 'node:stream'
import type { AllowedHost } from '../../server/protocol/runner.ts'
import type { EgressDecision } from './decision.ts'
import { counting, createMeter, type Exceeded } from './meter.ts'
import { type Lookup, systemLookup } from './resolve.ts'
import { runTunnel } from './tunnel.ts'

const KiB = 1024
const MiB = 1024 * KiB

const streams = 64
const windowBytes = 256 * KiB

export type WireLimits = {
  /** Payload of all tunnels in both directions. */
  readonly bytes: number
  /** In the life of the session. Each is one decision, so this bounds what is recorded too. */
  readonly connections: number
  /** From the start to the other end's first frames. */
  readonly readyMs: number
  readonly resolveMs: number
  /** From the 200 to the whole ClientHello. */
  readonly helloMs: number
  readonly connectMs: number
  readonly tunnelMs: number
}

export const defaultWireLimits: WireLimits = {
  bytes: 16 * KiB * MiB,
  connections: 1000,
  readyMs: 10_000,
  resolveMs: 10_000,
  helloMs: 10_000,
  connectMs: 10_000,
  tunnelMs: 60 * 60_000,
}

/** Why a session ended. `lost`: the other end has gone, or does not speak the protocol. */
export type WireEnd = 'closed' | 'lost' | 'not-ready' | 'too-many-connections' | 'internal-error' | Exceeded

export type WireSession = {
  /** The other end listens. Rejects when the session ends before that. */
  readonly ready: Promise<void>
  /** Everything has ended, also every tunnel's connection. Never rejects. */
  readonly closed: Promise<WireEnd>
  /** Ends the session and resets every tunnel; `closed` tells when that is done. */
  readonly close: () => void
}

/**
 * Serves the other end of `duplex` until it ends, is closed, or does anything wrong. The peer is hostile:
 * streams, windows, headers, bytes, time and decisions are all bounded, and so is memory. The stream must
 * respect backpressure; it belongs to the session and is destroyed with it.
 */
export const serveWire = (
  duplex: Duplex,
  options: {
    readonly allow: readonly AllowedHost[]
    readonly onDecision: (decision: EgressDecision) => void
    readonly lookup?: Lookup
    readonly limits?: Partial<WireLimits>
  },
): WireSession => {
  const limits = { ...defaultWireLimits, ...options.limits }
  const ready = Promise.withResolvers<void>()
  const over = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<WireEnd>()
  const tunnels = new Set<Promise<void>>()
  let ended: WireEnd | undefined
  let connections = 0

  // The slack covers what may lie unread in the windows of all streams, and a few MiB of frames.
  const slack = streams * windowBytes + 4 * MiB
  const meter = createMeter({ bytes: limits.bytes, slack }, (what) => end(what))
  const inbound = counting(meter.arrived)
  pipeline(duplex, inbound, () => end('lost'))
  duplex.on('error', () => end('lost'))
  const session = http2.performServerHandshake(Duplex.from({ readable: inbound, writable: duplex }), {
    settings: { maxConcurrentStreams: streams, initialWindowSize: windowBytes, maxHeaderListSize: 4 * KiB },
    maxHeaderListPairs: 16,
    maxSettings: 16,
    maxSessionMemory: 32, // MB; what 64 busy tunnels may have queued
    maxSessionInvalidFrames: 16,
    maxSessionRejectedStreams: 16,
  })
  // Streams share the session's window: left at 64 KiB, one busy tunnel would starve the others.
  session.setLocalWindowSize(streams * windowBytes)

  const end = (why: WireEnd): void => {
    if (ended !== undefined) return
    ended = why
    over.resolve()
    clearTimeout(readyTimer)
    session.destroy()
    duplex.destroy()
  }
  const readyTimer = setTimeout(() => end('not-ready'), limits.readyMs)

  session.once('remoteSettings', () => {
    clearTimeout(readyTimer)
    ready.resolve()
  })
  session.on('error', () => end('lost'))
  session.once('close', () => {
    end('lost')
    ready.reject(new Error('The wire ended before its other end was ready.'))
    void Promise.all(tunnels).then(() => closed.resolve(ended ?? 'lost'))
  })

  session.on('stream', (stream, headers) => {
    connections += 1
    if (connections > limits.connections) return end('too-many-connections')
    const tunnel = runTunnel(stream, headers, {
      allow: options.allow,
      lookup: options.lookup ?? systemLookup,
      limits,
      onDecision: options.onDecision,
      onBytes: meter.carried,
      ended: over.promise,
    })
      .catch(() => end('internal-error'))
      .finally(() => tunnels.delete(tunnel))
    tunnels.add(tunnel)
  })
  // Who only waits for `closed` need not handle this one too.
  ready.promise.catch(() => {})

  return { ready: ready.promise, closed: closed.promise, close: () => end('closed') }
}
