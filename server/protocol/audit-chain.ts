/** The hash chain, pure: how a line is made and how one is checked. */
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { type AuditEntry, type AuditEvent, auditEntry } from './audit.ts'
import { toIso } from './ids.ts'

export type Head = Readonly<{ seq: number; hash: string }>

/** What the first entry has before it. */
export const genesis: Head = { seq: 0, hash: '0'.repeat(64) }

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
const mark = ',"hash":"'

/** The next line of the log, without its newline, and the head that it makes. */
export const writeLine = (head: Head, event: AuditEvent, now: number): { line: string; head: Head } => {
  const body = JSON.stringify({ seq: head.seq + 1, at: toIso(now), prev: head.hash, ...event }).slice(0, -1)
  const hash = sha256(body)
  return { line: `${body}${mark}${hash}"}`, head: { seq: head.seq + 1, hash } }
}

export class BrokenChain extends Error {
  override readonly name = 'BrokenChain'
  readonly code = 'audit-chain-broken'
  readonly seq: number
  constructor(seq: number, what: string) {
    super(`The audit log is not what was written: entry ${seq}: ${what}`)
    this.seq = seq
  }
}

/** undefined is no entry: a line that whoever forged it also hashed may hold anything. */
const parseJson = (line: string): unknown => {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const link = z.object({ seq: z.number(), prev: z.string() })

/**
 * The head that a line makes which must follow `head`. Throws BrokenChain when a byte of it or of its order was
 * changed. What the entry says does not matter.
 */
export const followLine = (head: Head, line: string): Head => {
  const seq = head.seq + 1
  const at = line.lastIndexOf(mark)
  if (at < 0 || line.slice(at) !== `${mark}${sha256(line.slice(0, at))}"}`)
    throw new BrokenChain(seq, 'wrong hash')
  const found = link.safeParse(parseJson(line))
  if (!found.success) throw new BrokenChain(seq, 'unknown shape')
  if (found.data.seq !== seq || found.data.prev !== head.hash) throw new BrokenChain(seq, 'out of order')
  return { seq, hash: line.slice(at + mark.length, -2) }
}

/** The entry of a line that must follow `head`. Throws BrokenChain where it does not, or says what is not known. */
export const readLine = (head: Head, line: string): AuditEntry => {
  const { seq } = followLine(head, line)
  const entry = auditEntry.safeParse(parseJson(line))
  if (!entry.success) throw new BrokenChain(seq, 'unknown shape')
  return entry.data
}
