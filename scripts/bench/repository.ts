/** A repository to measure with: 600 commits over 1,200 text files, the same bytes at every run. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { runGit } from './git.ts'

const commits = 600
const files = 1200

/** A small generator of repeatable noise (xorshift32). */
const openNoise = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

function* history(): Generator<string> {
  const noise = openNoise(2_463_534_242)
  const line = (): string => Array.from({ length: 8 }, () => noise(4096).toString(36)).join(' ')
  const texts = Array.from({ length: files }, () => Array.from({ length: 60 }, line))
  for (let commit = 0; commit < commits; commit += 1) {
    yield `commit refs/heads/main\ncommitter Bench <bench@example.org> ${1_700_000_000 + commit * 60} +0000\ndata 4\nstep\n`
    const touched = commit === 0 ? texts.keys() : Array.from({ length: 4 }, () => noise(files))
    for (const index of touched) {
      const text = texts[index] ?? []
      text[noise(text.length)] = line()
      const body = `${text.join('\n')}\n`
      yield `M 100644 inline d${index % 30}/f${index}.txt\ndata ${body.length}\n${body}\n`
    }
  }
}

/** Makes the bare repository and packs it. */
export const makeRepository = async (repo: string, signal: AbortSignal): Promise<void> => {
  await runGit(['init', '-q', '--bare', '-b', 'main', repo], path.dirname(repo), signal)
  const child = spawn('git', ['fast-import', '--quiet'], {
    cwd: repo,
    stdio: ['pipe', 'ignore', 'ignore'],
    signal,
  })
  for (const part of history()) if (!child.stdin.write(part)) await once(child.stdin, 'drain')
  child.stdin.end()
  await once(child, 'close')
  await runGit(['repack', '-q', '-a', '-d', '-b'], repo, signal)
}
