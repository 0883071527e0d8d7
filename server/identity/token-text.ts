/** The text of a token: `spb_pat_<id>_<secret>` or `spb_job_<id>_<secret>`. */
import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type TokenId, tokenId } from '../protocol/ids.ts'

export type TokenKind = 'personal' | 'job'

const prefixes: Readonly<Record<TokenKind, string>> = { personal: 'spb_pat_', job: 'spb_job_' }
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const toBase62 = (value: bigint, width: number): string => {
  let text = ''
  for (let rest = value; text.length < width; rest /= 62n) text = alphabet.charAt(Number(rest % 62n)) + text
  return text
}

/** 62^43 exceeds 2^256, so 43 digits hold the secret whole. */
const secretWidth = 43
/** 62^6 exceeds 2^32: the checksum by which a scanner tells a real token from text that looks like one. */
const sumWidth = 6

const checksum = (text: string): string => toBase62(BigInt(crc32(text)), sumWidth)

export const hashSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest()

/** A new token's text and the hash under which its secret is stored. 256 random bits. */
export const mintToken = (kind: TokenKind, id: TokenId): { text: string; hash: Buffer } => {
  const secret = toBase62(BigInt(`0x${randomBytes(32).toString('hex')}`), secretWidth)
  const body = `${prefixes[kind]}${id}_${secret}`
  return { text: body + checksum(body), hash: hashSecret(secret) }
}

const shape = new RegExp(
  `^(spb_(?:pat|job)_)([0-9a-z]{26})_([0-9A-Za-z]{${secretWidth}})([0-9A-Za-z]{${sumWidth}})$`,
)

/** Takes a token's text apart, or null when it is malformed, cut, or mistyped. Says nothing on whether it is valid. */
export const readToken = (text: string): { kind: TokenKind; id: TokenId; hash: Buffer } | null => {
  const parts = shape.exec(text)
  if (!parts) return null
  const [, prefix = '', idText = '', secret = '', sum = ''] = parts
  const id = tokenId.safeParse(idText)
  if (!id.success || checksum(`${prefix}${idText}_${secret}`) !== sum) return null
  return { kind: prefix === prefixes.job ? 'job' : 'personal', id: id.data, hash: hashSecret(secret) }
}
