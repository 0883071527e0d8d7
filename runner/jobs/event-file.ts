/** The events of one attempt, on disk until the forge has them all. */
import fsSync from 'node:fs'
import fs from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { toIso } from '../../server/protocol/ids.ts'
import { type JobEventBody, jobEvent } from '../../server/protocol/runner.ts'

export type EventFile = {
  /** Whether `ended` is there: nothing can follow it. */
  readonly hasEnded: () => boolean
  /** Appends an event; it is in the file when this returns. Gives the bytes that it takes there. Throws after `ended`. */
  readonly append: (body: JobEventBody) => number
  /**
   * The events after `after` as lines of JSON, those that are there and those to come, to the end of the
   * attempt; an empty line after each 15 s without one. Read no faster than they are taken.
   */
  readonly follow: (after: number, signal: AbortSignal) => AsyncGenerator<Buffer, void, undefined>
  readonly close: () => void
}

const heartbeatMs = 15_000
const readBytes = 64 * 1024
const newline = 0x0a

/** Opens the file, or makes it. What a crash left half written at its end is cut off. */
export const openEventFile = (path: string, now: () => number): EventFile => {
  const file = fsSync.openSync(path, 'a+', 0o600)
  const { starts, size: whole, ended: over } = readLines(file)
  fsSync.ftruncateSync(file, whole)
  let size = whole
  let ended = over
  let change = Promise.withResolvers<void>()

  // Synchronous, so that the order of the file is the order of the calls and no effect comes before its event.
  const append = (body: JobEventBody): number => {
    if (ended) throw new Error(`The attempt has ended; nothing can follow, and ${body.type} came.`)
    const line = Buffer.from(`${JSON.stringify({ seq: starts.length + 1, at: toIso(now()), ...body })}\n`)
    try {
      writeWhole(file, line)
    } catch (error) {
      // Half a line (a full disk) would spoil the next one too, and the forge could never read past it.
      fsSync.ftruncateSync(file, size)
      throw error
    }
    starts.push(size)
    size += line.length
    if (body.type === 'ended') {
      ended = true
      fsSync.fdatasyncSync(file)
    }
    change.resolve()
    change = Promise.withResolvers()
    return line.length
  }

  async function* follow(after: number, signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    await using reader = await fs.open(path, 'r')
    let offset = starts[after] ?? size
    while (!signal.aborted) {
      if (offset < size) {
        const length = Math.min(readBytes, size - offset)
        const { bytesRead, buffer } = await reader.read(Buffer.alloc(length), 0, length, offset)
        offset += bytesRead
        yield buffer.subarray(0, bytesRead)
      } else if (ended) {
        return
      } else if (!(await changesWithin(change.promise, signal))) {
        yield Buffer.from('\n')
      }
    }
  }

  return { hasEnded: () => ended, append, follow, close: () => fsSync.closeSync(file) }
}

const changesWithin = async (change: Promise<void>, signal: AbortSignal): Promise<boolean> => {
  const waited = new AbortController()
  try {
    return await Promise.race([
      change.then(() => true),
      delay(heartbeatMs, false, { signal: AbortSignal.any([signal, waited.signal]) }).catch(() => true),
    ])
  } finally {
    waited.abort()
  }
}

const writeWhole = (file: number, bytes: Buffer): void => {
  for (let done = 0; done < bytes.length; ) done += fsSync.writeSync(file, bytes, done)
}

/** Where each whole line starts, and where the last one ends. */
const readLines = (file: number): { starts: number[]; size: number; ended: boolean } => {
  const starts: number[] = []
  const buffer = Buffer.alloc(readBytes)
  let lineStart = 0
  let offset = 0
  for (;;) {
    const length = fsSync.readSync(file, buffer, 0, readBytes, offset)
    if (length === 0) break
    for (let at = buffer.indexOf(newline); at !== -1 && at < length; at = buffer.indexOf(newline, at + 1)) {
      starts.push(lineStart)
      lineStart = offset + at + 1
    }
    offset += length
  }
  return { starts, size: lineStart, ended: isEnd(file, starts.at(-1), lineStart) }
}

const isEnd = (file: number, start: number | undefined, end: number): boolean => {
  if (start === undefined) return false
  const line = Buffer.alloc(end - start)
  fsSync.readSync(file, line, 0, line.length, start)
  return jobEvent.parse(JSON.parse(line.toString())).type === 'ended'
}
