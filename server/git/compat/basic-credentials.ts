/** User name and password of a request (RFC 7617). */
import type { IncomingMessage } from 'node:http'
import { type BasicCredentials, decodeBasic } from '../../identity/credentials.ts'

/** Null for none, and for what cannot be read. */
export const basicCredentials = ({ headers }: IncomingMessage): BasicCredentials | null => {
  const [, value] = /^Basic +(\S+) *$/i.exec(headers.authorization ?? '') ?? []
  return value === undefined ? null : decodeBasic(value)
}
