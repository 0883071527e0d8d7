import { Transform } from 'node:stream'

export type Exceeded = 'too-many-bytes' | 'flood'

/** A stream that passes everything through and tells how much it was. */
export const counting = (count: (bytes: number) => void): Transform =>
  new Transform({
    transform(chunk: Buffer, _encoding, done) {
      count(chunk.length)
      done(null, chunk)
    },
  })

/**
 * Holds a peer to `bytes` of payload in both directions together, and to a sane share of everything else.
 * One rule bounds all floods of frames (pings, settings, resets, padding, empty or tiny data): what arrives
 * must stay below `slack` and twice the payload.
 */
export const createMeter = (
  limits: { readonly bytes: number; readonly slack: number },
  exceeded: (what: Exceeded) => void,
): { arrived: (bytes: number) => void; carried: (bytes: number) => void } => {
  let payload = 0
  let raw = 0
  return {
    arrived: (bytes) => {
      raw += bytes
      if (raw > limits.slack + 2 * payload) exceeded('flood')
    },
    carried: (bytes) => {
      payload += bytes
      if (payload > limits.bytes) exceeded('too-many-bytes')
    },
  }
}
