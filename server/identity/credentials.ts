/** The `Authorization` header: Bearer, or Basic with any user name and the token as password (RFC 6750, RFC 7617). */

export type BasicCredentials = Readonly<{ username: string; password: string }>

/** User name and password out of what follows `Basic`; null where it holds none. */
export const decodeBasic = (value: string): BasicCredentials | null => {
  const pair = Buffer.from(value, 'base64').toString('utf8')
  const colon = pair.indexOf(':')
  return colon < 0 ? null : { username: pair.slice(0, colon), password: pair.slice(colon + 1) }
}

/** The token that the header carries; null for no header; undefined for one that cannot be read. */
export const tokenFromHeader = (header: string | undefined): string | null | undefined => {
  if (header === undefined) return null
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+) *$/.exec(header) ?? []
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value
    case 'basic':
      return decodeBasic(value)?.password
    default:
      return undefined
  }
}
