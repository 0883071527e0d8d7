/** Packs that were made for one fetch and fit the next: bounded in size and age, and made once for those who wait. */
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'

/** What to do about a pack. A `hit` stays on disk until it is released; a `make` must be finished. */
export type Lease =
  | { kind: 'hit'; file: string; release(): void }
  | { kind: 'make'; file: string; finish(made: boolean): Promise<void> }
  | { kind: 'pass' }

type Entry = { bytes: number; madeAt: number; readers: number }

/** Refs that the pack does not know of may move on; an old pack is less and less asked for. Milliseconds. */
const longestLife = 60 * 60_000
/** A client that takes its pack slowly must not hold up the others for longer. Milliseconds. */
const longestWait = 10_000

/** How long the size of a repository is taken for granted. Milliseconds. */
const sizeHoldsMs = 60_000

/** The bytes of a repository's packs; of what is loose, there is never much for long. */
const packedBytes = async (repo: string): Promise<number> => {
  const folder = path.join(repo, 'objects/pack')
  const names = (await readdir(folder)).filter((name) => name.endsWith('.pack'))
  const sizes = await Promise.all(
    names.map((name) =>
      stat(path.join(folder, name)).then(
        ({ size }) => size,
        () => 0,
      ),
    ),
  )
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * Opens an empty cache in a folder of its own, which is removed at `close`. `maxBytes` bounds what is kept in all;
 * repositories with more than `maxRepoBytes` are left alone: their packs would push out everybody else's.
 */
export const openPackCache = async (folder: string, maxBytes: number, maxRepoBytes: number) => {
  const sizes = new Map<string, { fits: boolean; until: number }>()
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  /** In the order of their last use. */
  const entries = new Map<string, Entry>()
  const making = new Map<string, Promise<void>>()
  let parts = 0
  const fileOf = (key: string): string => path.join(folder, `${key}.pack`)

  const evict = async (now: number): Promise<void> => {
    let bytes = [...entries.values()].reduce((sum, entry) => sum + entry.bytes, 0)
    for (const [key, entry] of entries) {
      const isOld = entry.madeAt + longestLife < now
      if (entry.readers > 0 || (bytes <= maxBytes && !isOld)) continue
      entries.delete(key)
      bytes -= entry.bytes
      await rm(fileOf(key), { force: true })
    }
  }

  const hit = (key: string, entry: Entry): Lease => {
    entries.delete(key)
    entries.set(key, entry)
    entry.readers += 1
    const release = (): void => {
      entry.readers -= 1
    }
    return { kind: 'hit', file: fileOf(key), release }
  }

  const make = (key: string): Lease => {
    const { promise, resolve: settle } = Promise.withResolvers<void>()
    making.set(key, promise)
    parts += 1
    const part = path.join(folder, `${key}.${parts}.part`)
    const finish = async (made: boolean): Promise<void> => {
      try {
        const { size } = await stat(part).catch(() => ({ size: 0 }))
        if (made && size > 0 && size <= maxBytes) {
          await rename(part, fileOf(key))
          entries.set(key, { bytes: size, madeAt: performance.now(), readers: 0 })
        } else await rm(part, { force: true })
        await evict(performance.now())
      } finally {
        making.delete(key)
        settle()
      }
    }
    return { kind: 'make', file: part, finish }
  }

  return {
    /** Whether the repository is small enough for its packs to be kept. */
    async isFor(repo: string): Promise<boolean> {
      const known = sizes.get(repo)
      if (known && known.until > performance.now()) return known.fits
      const fits = (await packedBytes(repo)) <= maxRepoBytes
      sizes.set(repo, { fits, until: performance.now() + sizeHoldsMs })
      return fits
    },

    /** Finds the pack, waits a while for one that is being made, or leaves the making to the caller. */
    async take(key: string): Promise<Lease> {
      const known = entries.get(key)
      if (known && known.madeAt + longestLife >= performance.now()) return hit(key, known)
      const busy = making.get(key)
      if (!busy) return make(key)
      let giveUp: NodeJS.Timeout | undefined
      const tired = new Promise<'tired'>((resolve) => {
        giveUp = setTimeout(() => resolve('tired'), longestWait)
      })
      const waited = await Promise.race([busy, tired])
      clearTimeout(giveUp)
      return waited === 'tired' ? { kind: 'pass' } : this.take(key)
    },

    async close(): Promise<void> {
      await rm(folder, { recursive: true, force: true })
    },
  }
}

export type PackCache = Awaited<ReturnType<typeof openPackCache>>
