/** The `Authorization` header: Bearer, or Basic with any user name and the token as password (RFC 6750, RFC 7617). */

/** The token that the header carries; null for no header; undefined for one that cannot be read. */
export const tokenFromHeader = (header: string | undefined): string | null | undefined => {
  if (header === undefined) return null
  const [, scheme = '', value = ''] = /^([A-Za-z]+) +(\S+) *$/.exec(header) ?? []
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return value
    case 'basic': {
      const pair = Buffer.from(value, 'base64').toString('utf8')
      const colon = pair.indexOf(':')
      return colon < 0 ? undefined : pair.slice(colon + 1)
    }
    default:
      return undefined
  }
}
