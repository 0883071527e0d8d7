import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type Lease, openPackCache } from '../../../server/git/pack-cache.ts'
import { tempFolder } from '../../support/temp.ts'

const open = async (t: Test, maxBytes = 1000) => {
  const folder = path.join(tempFolder(t), 'packs')
  const cache = await openPackCache(folder, maxBytes, 1000)
  t.teardown(() => cache.close())
  return { cache, folder }
}

const make = async (lease: Lease, text: string, made = true): Promise<void> => {
  if (lease.kind !== 'make') throw new Error(`expected to make, got ${lease.kind}`)
  writeFileSync(lease.file, text)
  await lease.finish(made)
}

t.test('many who want one pack at once have it made once', async (t) => {
  const { cache } = await open(t)
  const first = await cache.take('key')
  const others = Array.from({ length: 7 }, () => cache.take('key'))
  await make(first, 'pack')
  const leases = await Promise.all(others)
  t.same(new Set(leases.map(({ kind }) => kind)), new Set(['hit']))
})

t.test('a writer that dies leaves nothing, and the next one makes it', async (t) => {
  const { cache, folder } = await open(t)
  const first = await cache.take('key')
  const second = cache.take('key')
  await make(first, 'half', false)
  t.same(readdirSync(folder), [])
  await make(await second, 'whole')
  t.equal((await cache.take('key')).kind, 'hit')
})

t.test('what is least used goes first when there is too much, and never while it is read', async (t) => {
  const { cache } = await open(t, 10)
  await make(await cache.take('a'), '12345')
  await make(await cache.take('b'), '12345')
  const reading = await cache.take('a')
  await make(await cache.take('c'), '12345')
  t.equal((await cache.take('b')).kind, 'make', 'b was used last and least')
  if (reading.kind !== 'hit') throw new Error('a is there')
  t.equal(existsSync(reading.file), true)
  reading.release()
})

t.test('a pack larger than the whole cache is not kept', async (t) => {
  const { cache, folder } = await open(t, 10)
  await make(await cache.take('key'), '12345678901')
  t.same(readdirSync(folder), [])
})

t.test('a repository above the size is left alone', async (t) => {
  const { cache } = await open(t)
  const repo = t.testdir({
    small: { objects: { pack: { 'a.pack': 'x' } } },
    large: { objects: { pack: { 'a.pack': 'x'.repeat(1001) } } },
  })
  t.equal(await cache.isFor(path.join(repo, 'small')), true)
  t.equal(await cache.isFor(path.join(repo, 'large')), false)
})
