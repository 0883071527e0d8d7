/** Where a request comes from. */
import type { IncomingMessage } from 'node:http'
import type { Config } from '../config.ts'

const plain = (address: string): string => address.replace(/^::ffff:/, '')
const isLoopback = (address: string): boolean => address === '::1' || address.startsWith('127.')

/**
 * The client's address. Behind a proxy on this machine (TLS off) it is the last one in `X-Forwarded-For`, the only one
 * that the proxy has seen itself; anywhere else that header is just what the client says.
 */
export const openAddressOf =
  ({ tls }: Pick<Config, 'tls'>) =>
  ({ socket, headers }: IncomingMessage): string => {
    const peer = plain(socket.remoteAddress ?? '')
    if (tls.kind !== 'off' || !isLoopback(peer)) return peer
    const forwarded = String(headers['x-forwarded-for'] ?? '')
      .split(',')
      .at(-1)
      ?.trim()
    return forwarded ? plain(forwarded) : peer
  }
