/** A look at a fetch on its way to git: which commit it wants (gitprotocol-pack, gitprotocol-v2). */
import { Transform } from 'node:stream'
import { callbackify } from 'node:util'
import { ForgeError } from '../errors.ts'
import { type CommitId, commitId } from '../protocol/ids.ts'

/** Room for what comes before it: capabilities, and in protocol 2 the edge of a shallow clone. */
const largestHead = 1024 * 1024
/** Capabilities, ids and ref names fit in. */
const longestLine = 4096

const lengthBytes = 4
const flush = 0

/** `null`: no want is to come. `unknown`: none in the lines so far; `rest` is the begin of the next one. */
export type Scan = Readonly<{ want: CommitId | null | 'unknown'; rest: Buffer }>

const unreadable = (): ForgeError => new ForgeError('bad-request', 'This fetch cannot be read.')

/** git takes capitals, and whatever follows the digits, for a want as well. */
const parseWant = (line: string): CommitId | null => {
  if (!line.startsWith('want ')) return null
  const [, id] = /^want ([0-9a-f]{64}|[0-9a-f]{40})/i.exec(line) ?? []
  if (id === undefined) throw unreadable()
  return commitId.parse(id.toLowerCase())
}

/**
 * Looks for the first `want` among pkt-lines, the last of which may be cut off. Pure. Throws ForgeError for what git
 * might read in another way.
 */
export const scanForWant = (bytes: Buffer): Scan => {
  let at = 0
  while (at + lengthBytes <= bytes.length) {
    const digits = bytes.toString('latin1', at, at + lengthBytes)
    const size = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
    if (!(size <= longestLine)) throw unreadable()
    const end = at + Math.max(size, lengthBytes)
    if (end > bytes.length) break
    const want = parseWant(bytes.toString('latin1', at + lengthBytes, end))
    if (want !== null || size === flush) return { want, rest: bytes.subarray(end) }
    at = end
  }
  return { want: 'unknown', rest: bytes.subarray(at) }
}

/**
 * Holds a fetch's body back until `wants` has agreed to the first commit in it. What wants none, or is no fetch at
 * all, goes on to git, which gives nothing for it.
 */
export const holdUntilWanted = (wants: (commit: CommitId) => Promise<void>): Transform => {
  const held: Buffer[] = []
  let bytes = 0
  let rest = Buffer.alloc(0)
  let open = false
  const release = (): Buffer => {
    open = true
    return Buffer.concat(held.splice(0))
  }
  const look = (chunk: Buffer): Scan['want'] => {
    held.push(chunk)
    bytes += chunk.length
    const scan = scanForWant(Buffer.concat([rest, chunk]))
    rest = Buffer.from(scan.rest)
    if (scan.want === 'unknown' && bytes > largestHead) throw unreadable()
    return scan.want
  }
  const pass = async (chunk: Buffer): Promise<Buffer | null> => {
    if (open) return chunk
    const want = look(chunk)
    if (want === 'unknown') return null
    if (want !== null) await wants(want)
    return release()
  }
  const passed = callbackify(pass)
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => passed(chunk, done),
    flush: (done) => done(null, release()),
  })
}
