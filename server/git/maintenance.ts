/** Keeping repositories quick, out of the way of those who use them. */
import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import type { RepoName } from '../protocol/ids.ts'
import { type ChildLimits, GitError, readGit, runGit } from './child.ts'
import type { Repositories } from './repositories.ts'

/** Between looks at all repositories. Milliseconds. */
const everyMs = 10 * 60_000

const limits: ChildLimits = { memoryMiB: 4096, cpuSeconds: 3600, totalMs: 3_600_000 }

/** What makes reading slow: many packs, many loose objects, many loose refs are sought one by one. */
export type Clutter = Readonly<{ packs: number; looseObjects: number }>

const mostPacks = 20
const mostLooseObjects = 2000

export const needsMaintenance = ({ packs, looseObjects }: Clutter): boolean =>
  packs > mostPacks || looseObjects > mostLooseObjects

const entriesOf = (folder: string): Promise<string[]> => readdir(folder).catch(() => [])

/** Counts without running git. Loose objects are estimated from one of their 256 folders, as git itself does. */
export const readClutter = async (repo: string): Promise<Clutter> => {
  const [packs, sample] = await Promise.all([
    entriesOf(path.join(repo, 'objects/pack')),
    entriesOf(path.join(repo, 'objects/17')),
  ])
  return { packs: packs.filter((name) => name.endsWith('.pack')).length, looseObjects: sample.length * 256 }
}

/** What a repository shares with others. */
type Sharing = Readonly<{
  /** It takes objects from another one, so that none of its packs is whole by itself. */
  borrows: boolean
  /** Its owner has said that no object may go, since others take theirs from it (extensions.preciousObjects). */
  precious: boolean
}>

const readSharing = async (repo: string): Promise<Sharing> => {
  const ask = ['config', '--type=bool', '--default=false', '--get', 'extensions.preciousObjects']
  const alternates = await stat(path.join(repo, 'objects/info/alternates')).catch(() => null)
  return { borrows: alternates !== null, precious: (await runGit(ask, { repo })).trim() === 'true' }
}

/** Each is safe beside readers and writers: git adds before it removes, and keeps what is young. */
const tasksFor = ({ borrows, precious }: Sharing): readonly (readonly string[])[] => {
  // -l leaves borrowed objects where they are, -n writes nothing for a protocol that is not served.
  const repack = ['repack', '--quiet', '--geometric=2', '-d', '-l', '-n', '--write-midx']
  return [
    ['pack-refs', '--all'],
    ...(precious ? [] : [[...repack, ...(borrows ? [] : ['--write-bitmap-index'])]]),
    ['commit-graph', 'write', '--reachable', '--split'],
    ...(precious ? [] : [['prune', '--expire=2.weeks.ago']]),
  ]
}

/** Repacks geometrically with a bitmap, writes the commit graph, packs refs, prunes what nobody reaches. */
export const maintain = async (repo: string): Promise<void> => {
  for (const task of tasksFor(await readSharing(repo))) {
    const { exit, stderr } = await readGit(task, { repo, limits }, () => true)
    if (exit !== 0) throw new GitError('git-failed', exit, `git ${task[0]}: ${stderr}`)
  }
}

type Parts = Readonly<{
  repositories: Repositories
  /** Whether git serves a request in the repository at this moment. */
  isBusy: (repo: string) => boolean
  /** Whether the forge runs git in the repository at all. */
  isServed: (repo: string) => Promise<boolean>
  /** What else there is to tidy up in a repository, before it is repacked. */
  tidy: (name: RepoName, repo: string) => Promise<void>
  log: Logger
}>

/** Looks after all repositories, one at a time, until it is stopped. */
export const startMaintenance = ({ repositories, isBusy, isServed, tidy, log }: Parts) => {
  let stopped = false
  let running: Promise<void> | null = null

  const lookAfter = async (name: RepoName, repo: string): Promise<void> => {
    if (isBusy(repo) || !(await isServed(repo))) return
    await tidy(name, repo)
    const clutter = await readClutter(repo)
    if (!needsMaintenance(clutter)) return
    const from = performance.now()
    await maintain(repo)
    const after = await readClutter(repo)
    log.info({ repo: name, ...clutter, after, ms: Math.round(performance.now() - from) }, 'maintained')
  }

  const round = async (): Promise<void> => {
    for (const name of await repositories.list()) {
      const repo = stopped ? null : await repositories.find(name)
      if (repo === null) continue
      await lookAfter(name, repo).catch((error: unknown) =>
        log.error({ err: error, repo: name }, 'a repository could not be maintained'),
      )
    }
  }

  const timer = setInterval(() => {
    // A round that takes longer than the pause after it is not followed by those that it has missed.
    running ??= round()
      .catch((error: unknown) => log.error({ err: error }, 'maintenance failed'))
      .finally(() => {
        running = null
      })
  }, everyMs)
  timer.unref()

  return {
    /** Waits for the repository that is being looked after; no other is begun. */
    async stop(): Promise<void> {
      stopped = true
      clearInterval(timer)
      await running
    },
  }
}
