/** A handshake message out of TLS records, however it was cut into them (RFC 8446 section 5.1). Pure. */
import { EgressRefusal } from './refusal.ts'

/** The most that a client may send before it is decided, record headers included. */
export const maxHelloBytes = 16 * 1024

const recordHeader = 5
const messageHeader = 4
const handshakeRecord = 22
const clientHello = 1
const maxFragment = 2 ** 14

type Assembled =
  | { readonly state: 'incomplete'; readonly needs: number }
  | { readonly state: 'complete'; readonly body: Buffer }

/** The length of the fragment in the record at `at`, or how many bytes tell it. */
const fragmentLength = (bytes: Buffer, at: number): number | undefined => {
  const [type, major] = bytes.subarray(at, at + 2)
  if (type !== undefined && type !== handshakeRecord) throw new EgressRefusal('not-tls')
  if (major !== undefined && major !== 3) throw new EgressRefusal('not-tls')
  if (bytes.length < at + recordHeader) return undefined
  const length = bytes.readUInt16BE(at + 3)
  if (length === 0 || length > maxFragment) throw new EgressRefusal('malformed-hello')
  return length
}

const capped = (bytes: number): number => {
  if (bytes > maxHelloBytes) throw new EgressRefusal('hello-too-large')
  return bytes
}

/**
 * The body of the one ClientHello that these bytes begin with. Bytes after its last record are left alone
 * (early data); bytes after it in that record are refused.
 *
 * @throws EgressRefusal when no continuation could make it a ClientHello
 */
export const assembleClientHello = (bytes: Buffer): Assembled => {
  const fragments: Buffer[] = []
  let held = 0
  let total = Number.POSITIVE_INFINITY
  let at = 0
  while (held < total) {
    const length = fragmentLength(bytes, at)
    if (length === undefined) return { state: 'incomplete', needs: capped(at + recordHeader) }
    const next = capped(at + recordHeader + length)
    if (bytes.length < next) return { state: 'incomplete', needs: next }
    fragments.push(bytes.subarray(at + recordHeader, next))
    held += length
    at = next
    if (total === Number.POSITIVE_INFINITY && held >= messageHeader) {
      const header = Buffer.concat(fragments)
      if (header[0] !== clientHello) throw new EgressRefusal('not-tls')
      total = capped(messageHeader + header.readUIntBE(1, 3))
    }
  }
  if (held > total) throw new EgressRefusal('malformed-hello')
  return { state: 'complete', body: Buffer.concat(fragments).subarray(messageHeader) }
}
