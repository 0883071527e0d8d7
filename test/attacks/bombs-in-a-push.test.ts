import { readFileSync } from 'node:fs'
import t from 'tap'
import { makeRepo, type RunningForge, startForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

/** The most memory that the forge has ever used, in MiB, as the kernel counts. */
const peakMiB = (forge: RunningForge): number => {
  const status = readFileSync(`/proc/${forge.child().pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

t.test('a tree bomb is refused, and the forge’s memory stays flat', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const before = peakMiB(forge)
  const blob = await git(['hash-object', '-w', '--stdin'], { cwd: work, input: 'boom\n' })
  let entries = Array.from({ length: 10 }, (_, i) => `100644 blob ${blob}\tf${i}`)
  let tree = ''
  // Ten levels of ten: a few kilobytes that stand for ten thousand million files.
  for (let level = 0; level < 10; level += 1) {
    tree = await git(['mktree'], { cwd: work, input: `${entries.join('\n')}\n` })
    entries = Array.from({ length: 10 }, (_, i) => `040000 tree ${tree}\td${i}`)
  }
  const commit = await git(['commit-tree', tree, '-p', 'HEAD', '-m', 'boom'], { cwd: work })
  const ran = await tryGit(['push', forge.remote('hello', forge.token), `${commit}:refs/heads/boom`], {
    cwd: work,
    ca: forge.caFile,
  })
  t.not(ran.code, 0)
  t.match(ran.err, /stands for more than 1000000 files/)
  t.ok(peakMiB(forge) - before < 64, `memory grew by ${peakMiB(forge) - before} MiB`)
  t.equal(
    await git(['ls-remote', forge.remote('hello'), 'refs/heads/boom'], { cwd: work, ca: forge.caFile }),
    '',
  )
})

t.test('a blob of 500 MB in a pack of less than 2 MB is refused, and memory stays flat', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const before = peakMiB(forge)
  const size = 500 * 1024 * 1024
  const script = `head -c ${size} /dev/zero | git -c core.bigFileThreshold=1m hash-object -w --stdin`
  const blob = await git(['-c', `alias.zeros=!${script}`, 'zeros'], { cwd: work })
  const tree = await git(['mktree'], { cwd: work, input: `100644 blob ${blob}\tzeros\n` })
  const commit = await git(['commit-tree', tree, '-p', 'HEAD', '-m', 'zeros'], { cwd: work })
  const ran = await tryGit(
    [
      '-c',
      'core.bigFileThreshold=1m',
      'push',
      forge.remote('hello', forge.token),
      `${commit}:refs/heads/zeros`,
    ],
    { cwd: work, ca: forge.caFile },
  )
  t.not(ran.code, 0)
  t.match(ran.err, /the most is 104857600/)
  t.ok(peakMiB(forge) - before < 64, `memory grew by ${peakMiB(forge) - before} MiB`)
})
