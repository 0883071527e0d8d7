/** The append-only file behind the audit: `agent-jobs.jsonl`. */
import { isUtf8 } from 'node:buffer'
import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { type AuditEntry, type AuditEvent, auditEntry } from '../protocol/audit.ts'
import { BrokenChain, genesis, type Head, readLine, writeLine } from '../protocol/audit-chain.ts'
import type { JobId, TokenId } from '../protocol/ids.ts'

type Span = Readonly<{ offset: number; length: number }>

/** Entries of one kind that can have been under way when a process died. */
const lastFew = 100

/** Entries that must be on disk before what they announce may happen. */
const isIntent = (event: AuditEvent): boolean => event.type.endsWith('-intended')

/** Reads the whole file, checks the chain, and hands over each entry with its place. */
const readAll = async (
  file: FileHandle,
  each: (entry: AuditEntry, span: Span) => void,
): Promise<{ head: Head; size: number }> => {
  let head = genesis
  let size = 0
  let rest = Buffer.alloc(0)
  for await (const chunk of file.createReadStream({ start: 0, autoClose: false }) as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      const line = rest.subarray(0, end)
      // Bytes that are no UTF-8 would all be read as the same character, and hash alike.
      if (!isUtf8(line)) throw new BrokenChain(head.seq + 1, 'not UTF-8')
      const entry = readLine(head, line.toString('utf8'))
      each(entry, { offset: size, length: end })
      head = { seq: entry.seq, hash: entry.hash }
      size += end + 1
      rest = rest.subarray(end + 1)
    }
  }
  return { head, size }
}

/**
 * Opens or creates the log. Throws BrokenChain when what is there was altered. A last line without its newline was
 * being written when the process died: nothing was promised on it, and it is cut off.
 */
export const openAuditLog = async (path: string) => {
  const file = await open(path, 'a+', 0o600)
  const byJob = new Map<JobId, Span[]>()
  const intents = new Map<number, AuditEntry>()
  const revoked: TokenId[] = []
  let lastJob = 0

  const index = (entry: AuditEntry, span: Span): void => {
    if (isIntent(entry)) intents.set(entry.seq, entry)
    if (entry.type === 'token-revoked') {
      revoked.push(entry.token)
      if (revoked.length > lastFew) revoked.shift()
    }
    if ('intent' in entry && entry.intent !== null) intents.delete(entry.intent)
    if ('job' in entry && entry.job !== null) {
      lastJob = Math.max(lastJob, entry.job)
      const spans = byJob.get(entry.job)
      if (spans) spans.push(span)
      else byJob.set(entry.job, [span])
    }
  }

  let { head, size } = await readAll(file, index).catch(async (error: unknown) => {
    await file.close()
    throw error
  })
  await file.truncate(size)

  const write = async (event: AuditEvent, now: number): Promise<AuditEntry> => {
    const next = writeLine(head, event, now)
    const bytes = Buffer.from(`${next.line}\n`)
    try {
      await file.appendFile(bytes)
      if (isIntent(event)) await file.datasync()
    } catch (error) {
      // Half a line (a full disk) would break the chain for ever.
      await file.truncate(size)
      throw error
    }
    const entry = readLine(head, next.line)
    index(entry, { offset: size, length: bytes.length - 1 })
    head = next.head
    size += bytes.length
    return entry
  }

  let last: Promise<unknown> = Promise.resolve()

  return {
    /** Appends one entry; an intent is on disk when this resolves. Rejects without a trace in the file. */
    append(event: AuditEvent, now: number): Promise<AuditEntry> {
      const written = last.then(() => write(event, now))
      last = written.catch(() => undefined)
      return written
    },

    /** Every entry of a job, oldest first. */
    async ofJob(job: JobId): Promise<AuditEntry[]> {
      const entries: AuditEntry[] = []
      for (const { offset, length } of byJob.get(job) ?? []) {
        const { buffer } = await file.read(Buffer.alloc(length), 0, length, offset)
        entries.push(auditEntry.parse(JSON.parse(buffer.toString('utf8'))))
      }
      return entries
    },

    /** The file as it is now, byte for byte. */
    raw: (): Readable => (size === 0 ? Readable.from([]) : createReadStream(path, { end: size - 1 })),

    /** Intents whose outcome is not known, oldest first. */
    openIntents: (): AuditEntry[] => [...intents.values()],

    /** The tokens that were revoked last: a crash may have kept the database from hearing of it. */
    lastRevoked: (): TokenId[] => [...revoked],

    /** The chain's head: who has it can tell later whether the log was rewritten. */
    head: (): Head => head,

    /** The highest job id that the log has seen; 0 for none. */
    lastJob: (): number => lastJob,

    async close(): Promise<void> {
      await last
      await file.close()
    },
  }
}

export type AuditLog = Awaited<ReturnType<typeof openAuditLog>>
