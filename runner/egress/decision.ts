import { type RefusalCode, refusals } from './refusal.ts'

/** What was decided about one connection, as it is recorded: exactly one for each. */
export type EgressDecision = {
  /** As the client wrote it: at most 255 printable ASCII characters, whatever was sent. */
  readonly host: string
  /** 0 where the client gave none. */
  readonly port: number
} & (
  | { readonly allowed: true; readonly why: 'allowed' }
  | { readonly allowed: false; readonly why: RefusalCode }
)

/** The sentence for a page or a log. */
export const explain = (why: EgressDecision['why']): string =>
  why === 'allowed' ? 'This host is on the allow-list.' : refusals[why]

const printable = (text: string): string => text.slice(0, 255).replace(/[^\x20-\x7e]/g, '?')

/** Host and port of an authority for the record. Nothing is decided by them. */
export const describeAuthority = (authority: string): { host: string; port: number } => {
  const colon = authority.lastIndexOf(':')
  const portText = authority.slice(colon + 1)
  const port = /^[0-9]{1,5}$/.test(portText) ? Number(portText) : 0
  if (colon === -1 || port === 0 || port > 65535) return { host: printable(authority), port: 0 }
  return { host: printable(authority.slice(0, colon)), port }
}
