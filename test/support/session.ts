import http2 from 'node:http2'
import type { Duplex } from 'node:stream'
import { duplexPair } from 'node:stream'
import type { Test } from 'tap'
import type { EgressDecision } from '../../runner/egress/decision.ts'
import { serveWire, type WireSession } from '../../runner/egress/wire-session.ts'

type Options = Omit<Parameters<typeof serveWire>[1], 'onDecision'> & {
  readonly onDecision?: (decision: EgressDecision) => void
}

export type Served = {
  readonly peer: Duplex
  readonly session: WireSession
  readonly decisions: EgressDecision[]
}

/** The runner's end over a plain pair of streams; the peer is whatever the test makes of it. */
export const startSession = (t: Test, options: Options): Served => {
  const [runner, peer] = duplexPair({ highWaterMark: 64 * 1024 })
  const decisions: EgressDecision[] = []
  const onDecision = (decision: EgressDecision): void => {
    decisions.push(decision)
    options.onDecision?.(decision)
  }
  const session = serveWire(runner, { ...options, onDecision })
  runner.once('close', () => peer.destroy())
  peer.on('error', () => {})
  t.teardown(async () => {
    session.close()
    await session.closed
  })
  return { peer, session, decisions }
}

/** An honest HTTP/2 client on the peer's side. */
export const clientOn = (peer: Duplex): http2.ClientHttp2Session => {
  const client = http2.connect('http://runner', { createConnection: () => peer })
  client.on('error', () => {})
  return client
}
