/** HTTP/2 by hand, for peers that keep to no rule (RFC 9113 section 4.1, RFC 7541 section 6.2). */
export const frameType = {
  data: 0,
  headers: 1,
  priority: 2,
  reset: 3,
  settings: 4,
  ping: 6,
  windowUpdate: 8,
  continuation: 9,
  unknown: 0x99,
} as const

export const frame = (
  type: number,
  flags: number,
  stream: number,
  body: Buffer = Buffer.alloc(0),
): Buffer => {
  const header = Buffer.alloc(9)
  header.writeUIntBE(body.length, 0, 3)
  header.writeUInt8(type, 3)
  header.writeUInt8(flags, 4)
  header.writeUInt32BE(stream, 5)
  return Buffer.concat([header, body])
}

/** The preface and empty settings: all that a session waits for. */
export const greeting = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  frame(frameType.settings, 0, 0),
])

const literal = (nameIndex: number, value: string): Buffer =>
  Buffer.concat([Buffer.from([nameIndex, value.length]), Buffer.from(value)])

export const connectFrame = (stream: number, authority: string): Buffer =>
  frame(frameType.headers, 4, stream, Buffer.concat([literal(2, 'CONNECT'), literal(1, authority)]))
