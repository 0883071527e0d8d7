/** Whether a CONNECT may go on, by its authority alone: before any name is resolved. Pure. */
import { isIPv6 } from 'node:net'
import type { AllowedHost } from '../../server/protocol/runner.ts'
import { type HostName, isHostName, isNumericHost, lowerAscii } from './host-name.ts'
import type { RefusalCode } from './refusal.ts'

export type Target = { readonly host: HostName; readonly port: number }

export type NameDecision =
  | ({ readonly allowed: true; readonly privateAddress: boolean } & Target)
  | { readonly allowed: false; readonly why: RefusalCode }

/** The only reading of an authority: `host:port`, nothing decoded, nothing trimmed, nothing completed. */
const parseAuthority = (authority: string): Target | RefusalCode => {
  const [, hostText, portText] = /^(.+):([1-9][0-9]{0,4})$/.exec(authority) ?? []
  if (hostText === undefined || portText === undefined) return 'malformed-authority'
  const host = lowerAscii(hostText)
  const port = Number(portText)
  if (host.startsWith('[') || isIPv6(host) || isNumericHost(host)) return 'address-not-name'
  if (!isHostName(host) || port > 65535) return 'malformed-authority'
  return { host, port }
}

/** Exact names only: an entry allows its host (letter case apart) on its port, no other host and no other port. */
export const decide = (authority: string, allow: readonly AllowedHost[]): NameDecision => {
  const target = parseAuthority(authority)
  if (typeof target === 'string') return { allowed: false, why: target }
  const entries = allow.filter((entry) => lowerAscii(entry.host) === target.host)
  if (entries.length === 0) return { allowed: false, why: 'host-not-allowed' }
  const entry = entries.find(({ port }) => port === target.port)
  if (entry === undefined) return { allowed: false, why: 'port-not-allowed' }
  return { allowed: true, ...target, privateAddress: entry.privateAddress }
}
