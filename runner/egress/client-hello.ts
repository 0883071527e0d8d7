/**
 * The server name of a TLS ClientHello (RFC 8446 section 4.1.2, RFC 6066 section 3). Pure. Strict where
 * servers differ: what two readers could understand differently is refused.
 */
import { EgressRefusal, type RefusalCode } from './refusal.ts'
import { assembleClientHello } from './tls-record.ts'

export type ClientHello =
  /** Nothing can be said before `needs` bytes are there. */
  | { readonly state: 'incomplete'; readonly needs: number }
  | { readonly state: 'refused'; readonly why: RefusalCode }
  | { readonly state: 'complete'; readonly serverName: string }

const extension = { serverName: 0, encryptedClientHello: 0xfe0d } as const
const hostNameEntry = 0

const malformed = (): EgressRefusal => new EgressRefusal('malformed-hello')

/** Reads fields from front to back; one that does not fit is malformed. */
const fieldsOf = (bytes: Buffer) => {
  let at = 0
  const take = (length: number): Buffer => {
    if (at + length > bytes.length) throw malformed()
    at += length
    return bytes.subarray(at - length, at)
  }
  const number = (width: 1 | 2): number => take(width).readUIntBE(0, width)
  return {
    take,
    number,
    vector: (width: 1 | 2): Buffer => take(number(width)),
    atEnd: () => at === bytes.length,
  }
}

const extensionsOf = (body: Buffer): Map<number, Buffer> => {
  const hello = fieldsOf(body)
  hello.take(2) // legacy_version
  hello.take(32) // random
  if (hello.vector(1).length > 32) throw malformed() // legacy_session_id
  const cipherSuites = hello.vector(2)
  if (cipherSuites.length === 0 || cipherSuites.length % 2 !== 0) throw malformed()
  if (hello.vector(1).length === 0) throw malformed() // legacy_compression_methods
  const extensions = new Map<number, Buffer>()
  if (hello.atEnd()) return extensions
  const list = fieldsOf(hello.vector(2))
  if (!hello.atEnd()) throw malformed()
  while (!list.atEnd()) {
    const type = list.number(2)
    if (extensions.has(type)) throw malformed()
    extensions.set(type, list.vector(2))
  }
  return extensions
}

const serverNameOf = (extensionData: Buffer): string => {
  const data = fieldsOf(extensionData)
  const list = fieldsOf(data.vector(2))
  if (!data.atEnd() || list.number(1) !== hostNameEntry) throw malformed()
  const name = list.vector(2)
  if (name.length === 0) throw malformed()
  if (!list.atEnd()) throw new EgressRefusal('several-server-names')
  return name.toString('latin1')
}

const read = (bytes: Buffer): ClientHello => {
  const hello = assembleClientHello(bytes)
  if (hello.state === 'incomplete') return hello
  const extensions = extensionsOf(hello.body)
  if (extensions.has(extension.encryptedClientHello)) throw new EgressRefusal('encrypted-hello')
  const serverName = extensions.get(extension.serverName)
  if (serverName === undefined) throw new EgressRefusal('no-server-name')
  return { state: 'complete', serverName: serverNameOf(serverName) }
}

/** What the first bytes of a connection say. Total: hostile bytes are refused or incomplete, never an exception. */
export const parseClientHello = (bytes: Buffer): ClientHello => {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof EgressRefusal) return { state: 'refused', why: error.code }
    throw error
  }
}
