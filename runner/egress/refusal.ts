/** Every reason for which a connection out of a sandbox is refused, with the sentence that people read. */
export const refusals = {
  'not-connect': 'Only CONNECT is understood here.',
  'malformed-authority': 'CONNECT wants an exact host name and a port, such as example.org:443.',
  'address-not-name': 'Addresses are refused in every notation: use the name of the host.',
  'host-not-allowed': 'This host is not on the allow-list; the owner can add it.',
  'port-not-allowed': 'This host is on the allow-list, but not with this port.',
  unresolved: 'The name of this host could not be resolved in time.',
  'address-refused': 'The name of this host leads to an address that a sandbox may not reach.',
  'hello-timeout': 'The client did not begin TLS in time.',
  'hello-cut': 'The client stopped in the middle of its TLS ClientHello.',
  'hello-too-large': 'The TLS ClientHello is larger than 16 KiB.',
  'not-tls': 'Only TLS may leave a sandbox, and these bytes are something else.',
  'malformed-hello': 'The TLS ClientHello is malformed.',
  'no-server-name': 'The TLS ClientHello names no server (SNI).',
  'several-server-names': 'The TLS ClientHello names more than one server (SNI).',
  'encrypted-hello': 'The TLS ClientHello hides its server name (ECH): turn that off in the client.',
  'server-name-differs': 'The TLS ClientHello names another server (SNI) than CONNECT did.',
  unreachable: 'No connection to this host could be made in time.',
  abandoned: 'The connection ended before it was decided.',
} as const satisfies Record<string, string>

export type RefusalCode = keyof typeof refusals

/** Thrown by the steps of a decision; `code` is what is recorded, `message` what the client may see. */
export class EgressRefusal extends Error {
  override readonly name = 'EgressRefusal'
  readonly code: RefusalCode

  constructor(code: RefusalCode) {
    super(refusals[code])
    this.code = code
  }
}
