/** The listening socket, and its graceful end. */
import { once } from 'node:events'
import http from 'node:http'
import https from 'node:https'
import { type Config, ConfigError } from './config.ts'
import type { Certificate } from './http/certificate.ts'

/** How long requests under way may take once the forge has been told to stop. Milliseconds. */
const graceMs = 5000

/** A connection on which nothing moves for so long is dropped, whoever is waited for. Milliseconds. */
const idleMs = 120_000

/** An HTTP server, or an HTTPS one where `tls` is given, on which bodies may take as long as they move. */
export const createServer = (
  tls: https.ServerOptions | null,
  handler: http.RequestListener,
): http.Server | https.Server => {
  // A push may take as long as it moves; git routes have idle limits of their own. A client that has sent its whole
  // push may leave: without allowHalfOpen, its end of the connection takes ours and what git has not read yet with it.
  const options = {
    requestTimeout: 0,
    headersTimeout: 30_000,
    keepAliveTimeout: 30_000,
    maxHeaderSize: 16 * 1024,
    allowHalfOpen: true,
  }
  const server = tls
    ? https.createServer({ ...options, ...tls }, handler)
    : http.createServer(options, handler)
  // See allowHalfOpen above: HTTP has a switch of its own beside that of the socket.
  Object.assign(server, { httpAllowHalfOpen: true })
  server.setTimeout(idleMs)
  return server
}

/** Takes no more requests, lets those under way end for a while, and then cuts them off. */
export const closeServer = async (server: http.Server | https.Server): Promise<void> => {
  if (!server.listening) return
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const cut = setTimeout(() => server.closeAllConnections(), graceMs)
  await closed
  clearTimeout(cut)
}

export type Listening = Readonly<{ port: number; close(): Promise<void> }>

/** Listens until `close`. Throws ConfigError for an address that cannot be used. */
export const listen = async (
  { host, port }: Config['listen'],
  certificate: Certificate | null,
  handler: http.RequestListener,
): Promise<Listening> => {
  const server = createServer(certificate && { cert: certificate.cert, key: certificate.key }, handler)
  server.listen(port, host)
  await once(server, 'listening').catch((error: unknown) => {
    throw new ConfigError(`LISTEN ${host}:${port} cannot be used: ${String(error)}`)
  })
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: () => closeServer(server),
  }
}
