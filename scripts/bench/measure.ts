/** What is measured: the same commands at each server in turn, in rounds, so that the machine's moods hit all alike. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { runGit } from './git.ts'
import type { Server } from './serve.ts'

export const measures = ['ls-remote', 'push', 'clone', 'clone, depth 1', '8 clones at once, depth 1'] as const
export type Measure = (typeof measures)[number]

/** Median milliseconds by measure and server, the servers in their order. */
export type Results = ReadonlyMap<Measure, readonly number[]>

type Bench = { readonly folder: string; readonly work: string; readonly signal: AbortSignal }

const rounds: Readonly<Record<Measure, number>> = {
  'ls-remote': 21,
  push: 21,
  clone: 7,
  'clone, depth 1': 7,
  '8 clones at once, depth 1': 5,
}

let made = 0

const clone = async ({ folder, signal }: Bench, url: string, ...args: string[]): Promise<void> => {
  made += 1
  const into = path.join(folder, `clone-${made}`)
  await runGit(['clone', '-q', '--bare', ...args, url, into], folder, signal)
  await fs.rm(into, { recursive: true })
}

const perform = async (measure: Measure, bench: Bench, { url }: Server): Promise<void> => {
  switch (measure) {
    case 'ls-remote':
      await runGit(['ls-remote', '-q', url], bench.work, bench.signal)
      return
    case 'push':
      made += 1
      await runGit(['push', '-q', url, `HEAD:refs/heads/bench-${made}`], bench.work, bench.signal)
      return
    case 'clone':
      await clone(bench, url)
      return
    case 'clone, depth 1':
      await clone(bench, url, '--depth', '1')
      return
    case '8 clones at once, depth 1':
      await Promise.all(Array.from({ length: 8 }, () => clone(bench, url, '--depth', '1')))
  }
}

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN

export const measureAll = async (
  bench: Bench,
  servers: readonly Server[],
  say: (what: string) => void,
): Promise<Results> => {
  const results = new Map<Measure, number[]>()
  for (const measure of measures) {
    const times = servers.map((): number[] => [])
    for (let round = 0; round < rounds[measure]; round += 1) {
      say(`${measure}, ${round + 1} of ${rounds[measure]}`)
      for (const [index, server] of servers.entries()) {
        if (measure === 'push')
          await runGit(['commit', '-q', '--allow-empty', '-m', 'bench'], bench.work, bench.signal)
        const from = performance.now()
        await perform(measure, bench, server)
        times[index]?.push(performance.now() - from)
      }
    }
    results.set(measure, times.map(median))
  }
  return results
}
