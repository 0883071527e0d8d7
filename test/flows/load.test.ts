import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { commitFile, makeRepo, type RunningForge, startForge } from '../support/forge.ts'
import { git, startGit } from '../support/git.ts'
import { countRows, movedRefs } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const clones = 50
const pushes = 20
const repos = ['one', 'two', 'three'] as const

/** The same numbers each time, from 0 to 1 (mulberry32). */
const openRandom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** Runs git, and kills it with all that it has started after so many milliseconds; null lets it end. */
const runUntil = async (
  args: readonly string[],
  cwd: string,
  ca: string,
  ms: number | null,
): Promise<number | null> => {
  const child = startGit(args, { cwd, ca, detached: true })
  child.stdout?.resume()
  child.stderr?.resume()
  const kill = () => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  }
  const timer = ms === null ? undefined : setTimeout(kill, ms)
  await once(child, 'close')
  clearTimeout(timer)
  return child.exitCode
}

const childrenOf = (pid: number): string => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()

const filesUnder = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => path.join(folder, file))

const bareOf = (forge: RunningForge, repo: string): string => path.join(forge.dataDir, `repos/${repo}.git`)

t.test('many at once, of whom some die, are served, and nothing of them is left', async (t) => {
  const forge = await startForge(t)
  const random = openRandom(20_240_229)
  const folder = tempFolder(t)
  const work = new Map<string, string>()
  for (const repo of repos) {
    const made = await makeRepo(t, forge, repo)
    await git(['config', 'core.compression', '0'], { cwd: made.work })
    writeFileSync(path.join(made.work, 'noise'), randomBytes(2_000_000))
    await commitFile(made.work, 'more', repo)
    await git(['push', '-q', forge.remote(repo, forge.token), 'main'], { cwd: made.work, ca: forge.caFile })
    work.set(repo, made.work)
  }

  const pick = () => repos[Math.floor(random() * repos.length)] ?? 'one'
  /** A third of them dies, at some moment of the time that they may take. */
  const fate = (): number | null => (random() < 0.35 ? Math.floor(random() * 3000) : null)
  const cloneOnce = (n: number) => {
    const how = [[], ['--depth=1'], ['--filter=blob:none']][Math.floor(random() * 3)] ?? []
    const args = ['clone', '-q', '--bare', ...how, forge.remote(pick()), `clone-${n}`]
    const ms = fate()
    return async () => ({ kind: 'clone', ms, code: await runUntil(args, folder, forge.caFile, ms) })
  }
  const pushOnce = async (n: number) => {
    const repo = pick()
    const from = work.get(repo) ?? ''
    writeFileSync(path.join(from, `noise-${n}`), randomBytes(1_000_000))
    const commit = await commitFile(from, `file-${n}`, `${n}\n`)
    const args = ['push', '-q', forge.remote(repo, forge.token), `${commit}:refs/heads/load-${n}`]
    const ms = fate()
    return async () => ({ kind: 'push', ms, code: await runUntil(args, from, forge.caFile, ms) })
  }
  const clients: (() => Promise<{ kind: string; ms: number | null; code: number | null }>)[] = []
  for (let n = 0; n < pushes; n += 1) clients.push(await pushOnce(n))
  for (let n = 0; n < clones; n += 1) clients.push(cloneOnce(n))
  const ran = await Promise.all(clients.map((run) => run()))

  const failed = ran.filter(({ ms, code }) => ms === null && code !== 0)
  t.same(failed, [], 'who lived was served')
  t.ok(
    ran.some(({ code }) => code === null),
    'and some were killed',
  )

  const pid = forge.child().pid ?? 0
  while (childrenOf(pid) !== '' || countRows(forge, 'push_intents') > 0)
    await new Promise((resolve) => setImmediate(resolve))
  for (const repo of repos) {
    const bare = bareOf(forge, repo)
    await git(['fsck', '--strict'], { cwd: bare })
    const left = filesUnder(bare).filter((file) => /tmp_objdir|\.lock$|\/tmp_/.test(file))
    t.same(left, [], `${repo}: no temporary object and no lock`)
    const refs = await git(['for-each-ref', '--format=%(refname) %(objectname)'], { cwd: bare })
    const recorded = new Map(movedRefs(forge, repo).map((moved) => [moved.ref, moved.new]))
    t.same(
      refs.split('\n').sort(),
      [...recorded].map(([ref, commit]) => `${ref} ${commit}`).sort(),
      `${repo}: every ref that moved has its record, and no other`,
    )
  }
  t.same(
    filesUnder(path.join(forge.dataDir, 'pack-cache')).filter((file) => !file.endsWith('.pack')),
    [],
    'no half pack',
  )
  t.equal((await forge.ask('/healthz')).status, 200)
})
