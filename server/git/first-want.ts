/** A look at a fetch on its way to git: which commit it wants (gitprotocol-pack, gitprotocol-v2). */
import { Transform } from 'node:stream'
import { ForgeError } from '../errors.ts'
import { type CommitId, commitId } from '../protocol/ids.ts'

/** Room for what comes before it: capabilities, and in protocol 2 the edge of a shallow clone. */
const largestHead = 1024 * 1024

const lengthBytes = 4
const flush = 0

/** The first `want` among whole pkt-lines. `none`: there is none to come; `unknown`: not in what is here. Pure. */
export const findWant = (head: Buffer): CommitId | 'none' | 'unknown' => {
  let at = 0
  while (at + lengthBytes <= head.length) {
    const digits = head.toString('latin1', at, at + lengthBytes)
    if (!/^[0-9a-f]{4}$/i.test(digits)) return 'none'
    const size = Number.parseInt(digits, 16)
    if (size === flush) return 'none'
    const end = at + Math.max(size, lengthBytes)
    if (end > head.length) return 'unknown'
    const [, id] = /^want ([0-9a-f]+)(?![^ \n])/.exec(head.toString('latin1', at + lengthBytes, end)) ?? []
    if (id !== undefined) return commitId.safeParse(id).data ?? 'none'
    at = end
  }
  return 'unknown'
}

/** Holds a fetch's body back until `wants` has agreed to the first commit in it; passes on what wants none. */
export const holdUntilWanted = (wants: (commit: CommitId) => Promise<void>): Transform => {
  let held: Buffer | null = Buffer.alloc(0)
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      if (held === null) {
        done(null, chunk)
        return
      }
      const head = Buffer.concat([held, chunk])
      const want = findWant(head)
      if (want === 'unknown' && head.length <= largestHead) {
        held = head
        done()
        return
      }
      if (want === 'unknown') {
        done(new ForgeError('too-large', `The first want must come within ${largestHead} bytes.`))
        return
      }
      held = null
      const asked = want === 'none' ? Promise.resolve() : wants(want)
      asked.then(
        () => done(null, head),
        (error: unknown) => done(error instanceof Error ? error : new Error(String(error))),
      )
    },
    flush(done) {
      done(null, held)
    },
  })
}
