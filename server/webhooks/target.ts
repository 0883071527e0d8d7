/** Where a webhook may be sent to: the address behind its host is judged, and exactly what was judged is connected to. */
import type { LookupAddress } from 'node:dns'
import dns from 'node:dns/promises'
import { isIP } from 'node:net'
import { kindOf } from '../protocol/address.ts'
import type { AllowedHosts } from './allowed-hosts.ts'

/** `refused` stays so until the owner allows the host; `unresolved` may be another answer a moment later. */
export class TargetError extends Error {
  override readonly name = 'TargetError'
  readonly code: 'refused' | 'unresolved'
  constructor(code: TargetError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const resolveMs = 20_000

let last: Promise<unknown> = Promise.resolve()

/**
 * The system's resolver, one name at a time: each look-up holds a thread of the pool that a push needs for its files,
 * and a name server that does not answer would hold them all.
 */
const lookUp = (host: string): Promise<LookupAddress[]> => {
  const answer = last.then(() => dns.lookup(host, { all: true }))
  last = answer.catch(() => undefined)
  return answer
}

const resolve = async (host: string): Promise<LookupAddress[]> => {
  const family = isIP(host)
  if (family !== 0) return [{ address: host, family }]
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => late.reject(new Error('late')), resolveMs)
  try {
    return await Promise.race([lookUp(host), late.promise])
  } catch {
    throw new TargetError('unresolved', `The name ${host} could not be resolved.`)
  } finally {
    clearTimeout(timer)
  }
}

/** Host and port as `AllowedHosts` names them; the URL parser has made every notation of an address plain. */
const placeOf = (url: URL): { host: string; port: string } => ({
  host: url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, ''),
  port: url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port,
})

/**
 * The addresses that a request to this URL may connect to. One address among them that may not be reached refuses
 * them all: an honest name has none. Throws TargetError.
 */
export const judgeTarget = async (url: URL, allowed: AllowedHosts): Promise<readonly LookupAddress[]> => {
  const { host, port } = placeOf(url)
  const addresses = await resolve(host)
  if (addresses.length === 0) throw new TargetError('unresolved', `The name ${host} has no address.`)
  const mayBePrivate = allowed.has(host) || allowed.has(`${host}:${port}`)
  for (const { address } of addresses) {
    const kind = kindOf(address)
    if (kind === 'public' || (kind === 'private' && mayBePrivate)) continue
    throw new TargetError(
      'refused',
      kind === 'private'
        ? `${host} is on a private address. The owner can allow it: WEBHOOK_HOSTS=${host}`
        : `${host} leads to an address that is never called.`,
    )
  }
  return addresses
}
