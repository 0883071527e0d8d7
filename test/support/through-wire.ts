import { once } from 'node:events'
import http from 'node:http'
import type { Socket } from 'node:net'
import tls from 'node:tls'

export type Connected = { readonly status: number; readonly socket: Socket; readonly head: Buffer }

/** Sends CONNECT to the wire and gives back its answer and what is now the tunnel. */
export const connectThrough = async (
  wire: { readonly port: number },
  authority: string,
): Promise<Connected> => {
  const request = http.request({
    host: '127.0.0.1',
    port: wire.port,
    method: 'CONNECT',
    path: authority,
    agent: false,
  })
  request.end()
  const [response, socket, head] = (await once(request, 'connect')) as [http.IncomingMessage, Socket, Buffer]
  socket.on('error', () => {})
  return { status: response.statusCode ?? 0, socket, head }
}

/** All that still comes out of a socket until it ends, or is reset. */
export const rest = async ({ socket, head }: Connected): Promise<Buffer> => {
  const chunks = [head]
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  await new Promise<void>((resolve) => {
    socket.once('close', resolve)
    socket.once('end', () => socket.end())
  })
  return Buffer.concat(chunks)
}

/** A TLS session inside a tunnel that the wire has opened. */
export const tlsThrough = async (
  wire: { readonly port: number },
  authority: string,
  options: tls.ConnectionOptions,
): Promise<tls.TLSSocket> => {
  const { socket } = await connectThrough(wire, authority)
  const secure = tls.connect({ ...options, socket })
  await once(secure, 'secureConnect')
  return secure
}
