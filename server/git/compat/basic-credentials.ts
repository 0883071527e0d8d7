/** User name and password of a request (RFC 7617). */
import type { IncomingMessage } from 'node:http'

export type BasicCredentials = Readonly<{ username: string; password: string }>

/** Null for none, and for what cannot be read. */
export const basicCredentials = ({ headers }: IncomingMessage): BasicCredentials | null => {
  const [, value] = /^Basic +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  if (value === undefined) return null
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? null : { username: pair.slice(0, colon), password: pair.slice(colon + 1) }
}
