import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { kindOf } from '../../server/protocol/address.ts'
import { withDeadline } from './deadline.ts'
import type { HostName } from './host-name.ts'
import { EgressRefusal } from './refusal.ts'

export type Lookup = (host: HostName) => Promise<readonly LookupAddress[]>

const running = new Map<HostName, Promise<readonly LookupAddress[]>>()

/**
 * The system's resolver. One look-up of a name at a time: each holds a thread of the pool that file work
 * needs too, and a sandbox could ask for a thousand.
 */
export const systemLookup: Lookup = (host) => {
  const known = running.get(host)
  if (known !== undefined) return known
  const lookup = dns.lookup(host, { all: true }).finally(() => running.delete(host))
  running.set(host, lookup)
  return lookup
}

/**
 * The addresses of an allowed name, all judged: one that may not be reached refuses the whole answer, since
 * an honest name has no such address. Whoever connects must use these and not resolve again.
 */
export const resolveJudged = async (
  { host, privateAddress }: { readonly host: HostName; readonly privateAddress: boolean },
  lookup: Lookup,
  ms: number,
  gone: AbortSignal,
): Promise<readonly LookupAddress[]> => {
  const answer = lookup(host).catch(() => {
    throw new EgressRefusal('unresolved')
  })
  const addresses = await withDeadline(answer, ms, 'unresolved', gone)
  if (addresses.length === 0) throw new EgressRefusal('unresolved')
  const reachable = addresses.every(({ address }) => {
    const kind = kindOf(address)
    return kind === 'public' || (kind === 'private' && privateAddress)
  })
  if (!reachable) throw new EgressRefusal('address-refused')
  return addresses
}
