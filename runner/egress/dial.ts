import type { LookupAddress } from 'node:dns'
import { once } from 'node:events'
import net from 'node:net'
import { withDeadline } from './deadline.ts'
import type { Target } from './decide.ts'
import { EgressRefusal } from './refusal.ts'

/**
 * A connection to one of exactly these addresses, tried as RFC 8305 says (both families in turn). The name is
 * not resolved again: `lookup` only hands the judged addresses over.
 */
export const dial = async (
  { host, port }: Target,
  addresses: readonly LookupAddress[],
  ms: number,
  gone: AbortSignal,
): Promise<net.Socket> => {
  const socket = net.connect({
    host,
    port,
    allowHalfOpen: true,
    noDelay: true,
    autoSelectFamily: true,
    lookup: (_host, _options, found) => found(null, [...addresses]),
  })
  const connected = once(socket, 'connect').catch(() => {
    throw new EgressRefusal('unreachable')
  })
  try {
    await withDeadline(connected, ms, 'unreachable', gone)
    return socket
  } catch (error) {
    socket.destroy()
    throw error
  }
}
