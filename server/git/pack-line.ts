/** The server's end of the line of hooks/pack-objects: which pack git wants, and where it is or goes. */
import { createHash } from 'node:crypto'
import type { Readable, Writable } from 'node:stream'
import type { Lease, PackCache } from './pack-cache.ts'

/** Wants and haves of one fetch; more than a request may hold does not come. */
const maxLength = 64 * 1024 * 1024

const isWhole = (text: string): boolean => text.endsWith('\nend\n')

/** What decides a pack's bytes: the repository, git's arguments and its input. Nobody's identity is in it. */
const keyOf = (repo: string, call: string): string =>
  createHash('sha256').update(`${repo}\0${call}`).digest('hex')

/** The input that git wrote for pack-objects: the lines that are neither the call's frame nor arguments. */
const inputOf = (call: string): string => {
  const lines = call.split('\n').slice(1, -2)
  const first = lines.findIndex((line) => !line.startsWith('argument '))
  return first < 0 ? '' : `${lines.slice(first).join('\n')}\n`
}

const answer = (to: Writable, lease: Lease, input: string): void => {
  switch (lease.kind) {
    case 'hit':
      to.end(`hit ${lease.file}\n`)
      return
    case 'make':
      to.end(`make ${lease.file}\n${input}`)
      return
    case 'pass':
      to.end(`pass\n${input}`)
  }
}

const settle = async (lease: Lease, said: string): Promise<void> => {
  switch (lease.kind) {
    case 'hit':
      lease.release()
      return
    case 'make':
      await lease.finish(said === 'made\n')
      return
    case 'pass':
  }
}

/**
 * Answers the one call that a fetch may make, and learns from the line's end what became of it: a writer that died has
 * not said `made`. Resolves when the line is closed. A call that is malformed is not answered, which ends the fetch.
 */
export const answerPackHook = async (
  from: Readable,
  to: Writable,
  repo: string,
  cache: PackCache,
): Promise<void> => {
  let call = ''
  let said = ''
  let lease: Lease | null = null
  from.setEncoding('utf8')
  try {
    for await (const chunk of from as AsyncIterable<string>) {
      if (lease) {
        said += chunk
        if (said.length > maxLength) return
        continue
      }
      call += chunk
      if (call.length > maxLength) return
      if (!isWhole(call)) continue
      lease = await cache.take(keyOf(repo, call))
      answer(to, lease, inputOf(call))
    }
  } finally {
    to.end()
    if (lease) await settle(lease, said)
  }
}
