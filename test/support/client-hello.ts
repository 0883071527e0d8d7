import { once } from 'node:events'
import { duplexPair } from 'node:stream'
import tls from 'node:tls'

/** The first bytes that OpenSSL's client, in Node, sends to a server of this name. */
export const clientHello = async (
  servername: string,
  options: tls.ConnectionOptions = {},
): Promise<Buffer> => {
  const [client, server] = duplexPair()
  const socket = tls.connect({ ...options, socket: client, servername })
  socket.on('error', () => {})
  await once(server, 'readable')
  const bytes = server.read() as Buffer
  socket.destroy()
  server.destroy()
  return bytes
}

/** The same handshake message in records of at most `size` bytes. */
export const recut = (hello: Buffer, size: number): Buffer => {
  const records: Buffer[] = []
  for (let at = 5; at < hello.length; at += size) {
    const fragment = hello.subarray(at, at + size)
    const header = Buffer.from(hello.subarray(0, 5))
    header.writeUInt16BE(fragment.length, 3)
    records.push(header, fragment)
  }
  return Buffer.concat(records)
}

/** The same hello with its extensions replaced: `[type, data]` each. */
export const withExtensions = (hello: Buffer, extensions: readonly (readonly [number, Buffer])[]): Buffer => {
  const sessionId = 5 + 4 + 2 + 32
  const ciphers = sessionId + 1 + hello.readUInt8(sessionId)
  const compression = ciphers + 2 + hello.readUInt16BE(ciphers)
  const front = hello.subarray(9, compression + 1 + hello.readUInt8(compression))
  const list = Buffer.concat(
    extensions.flatMap(([type, data]) => {
      const header = Buffer.alloc(4)
      header.writeUInt16BE(type, 0)
      header.writeUInt16BE(data.length, 2)
      return [header, data]
    }),
  )
  const length = Buffer.alloc(2)
  length.writeUInt16BE(list.length)
  const body = Buffer.concat([front, length, list])
  const header = Buffer.from([22, 3, 1, 0, 0, 1, 0, 0, 0])
  header.writeUInt16BE(body.length + 4, 3)
  header.writeUIntBE(body.length, 6, 3)
  return Buffer.concat([header, body])
}

/** The data of a server_name extension with these entries. */
export const serverNames = (...names: readonly string[]): Buffer => {
  const list = Buffer.concat(
    names.flatMap((name) => [
      Buffer.from([0, name.length >> 8, name.length & 255]),
      Buffer.from(name, 'latin1'),
    ]),
  )
  return Buffer.concat([Buffer.from([list.length >> 8, list.length & 255]), list])
}
