/** Lower-case ULIDs: sortable by time, 80 random bits (the ULID specification's Crockford base32). */
import { randomBytes } from 'node:crypto'

const alphabet = '0123456789abcdefghjkmnpqrstvwxyz'

const encode = (value: bigint, width: number): string => {
  let text = ''
  for (let rest = value; text.length < width; rest >>= 5n) text = alphabet.charAt(Number(rest & 31n)) + text
  return text
}

export const ulid = (now: number): string =>
  encode(BigInt(now), 10) + encode(BigInt(`0x${randomBytes(10).toString('hex')}`), 16)
