/** Waiting for whoever reads. */
import { once } from 'node:events'
import type { Writable } from 'node:stream'

/** Resolves when the stream takes more, or never will. Leaves no listener behind. */
export const roomIn = async (stream: Writable): Promise<void> => {
  if (stream.destroyed) return
  const settled = new AbortController()
  const { signal } = settled
  const room = [once(stream, 'drain', { signal }), once(stream, 'close', { signal })]
  await Promise.race(room).catch(() => undefined)
  settled.abort()
}
