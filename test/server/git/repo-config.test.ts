import { appendFileSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openConfigReader } from '../../../server/git/repo-config.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const bare = async (t: Test, ...args: string[]): Promise<string> => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', ...args, '.'], { cwd: repo })
  return repo
}

const refusedWith = async (repo: string): Promise<string | null> => (await openConfigReader()(repo)).refused

t.test('what git and its hosts write of themselves is served', async (t) => {
  const repo = await bare(t)
  t.equal(await refusedWith(repo), null)
  for (const [key, value] of [
    ['core.sharedRepository', 'group'],
    ['receive.denyNonFastForwards', 'true'],
    ['remote.origin.url', 'https://example.org/x.git'],
    ['remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*'],
    ['branch.a.b.merge', 'refs/heads/a.b'],
    ['gc.auto', '0'],
    ['gitweb.owner', 'Tess'],
    ['http.receivepack', 'true'],
  ] as const)
    await git(['config', key, value], { cwd: repo })
  t.equal(await refusedWith(repo), null)
})

t.test('a key that runs something, hides something, or weakens a check is refused, and named', async (t) => {
  for (const [key, value] of [
    ['core.alternateRefsCommand', 'touch x'],
    ['core.fsmonitor', 'touch x'],
    ['core.sshCommand', 'touch x'],
    ['core.pager', 'touch x'],
    ['core.worktree', '/'],
    ['core.gitProxy', 'touch x'],
    ['receive.fsck.missingEmail', 'ignore'],
    ['receive.fsck.skipList', '/dev/null'],
    ['fsck.badTree', 'ignore'],
    ['transfer.hideRefs', 'refs/heads/secret'],
    ['receive.hideRefs', '!refs/agents'],
    ['receive.procReceiveRefs', 'refs/heads'],
    ['uploadpack.packObjectsHook', 'touch x'],
    ['include.path', 'other'],
    ['includeIf.gitdir:/.path', 'other'],
    ['extensions.worktreeConfig', 'true'],
    ['extensions.partialClone', 'origin'],
    ['remote.origin.uploadpack', 'touch x'],
    ['remote.origin.promisor', 'true'],
    ['diff.x.textconv', 'touch x'],
    ['filter.x.clean', 'touch x'],
    ['merge.x.driver', 'touch x'],
    ['alias.version', '!touch x'],
    ['credential.helper', '!touch x'],
    ['url.ext::sh.insteadOf', 'https:'],
    ['protocol.ext.allow', 'always'],
    ['gpg.program', 'touch x'],
    ['gc.recentObjectsHook', 'touch x'],
    ['safe.directory', '*'],
    ['replace.x', 'y'],
  ] as const) {
    const repo = await bare(t)
    await git(['config', '--file', 'config', key, value], { cwd: repo })
    const name = key.toLowerCase().replace(/.*(?=\.)/, '')
    t.match((await refusedWith(repo))?.toLowerCase(), name, key)
  }
})

t.test('a file that includes another is refused without the other being read', async (t) => {
  const repo = await bare(t)
  const other = path.join(repo, 'other')
  writeFileSync(other, '[core]\n\tbare = true\n')
  appendFileSync(path.join(repo, 'config'), `[include]\n\tpath = ${other}\n`)
  t.match(await refusedWith(repo), 'include.path')
})

t.test('a repository that borrows its configuration is refused', async (t) => {
  const repo = await bare(t)
  const lender = await bare(t)
  await git(['config', 'core.fsmonitor', 'touch x'], { cwd: lender })
  writeFileSync(path.join(repo, 'commondir'), `${lender}\n`)
  t.match(await refusedWith(repo), 'from another repository')
})

t.test('a config that git cannot read is refused with the reason, not a fault', async (t) => {
  const repo = await bare(t)
  appendFileSync(path.join(repo, 'config'), '[core\n')
  t.match(await refusedWith(repo), 'git cannot read its config')
})

t.test('a change is seen by the same reader, also one that keeps size and time', async (t) => {
  const repo = await bare(t)
  const file = path.join(repo, 'config')
  const read = openConfigReader()
  await git(['config', 'gc.aaaaaaaaa', 'x'], { cwd: repo })
  t.equal((await read(repo)).refused, null)
  const { atime, mtime, size } = statSync(file)
  await git(['config', '--unset', 'gc.aaaaaaaaa'], { cwd: repo })
  await git(['config', '--remove-section', 'gc'], { cwd: repo }).catch(() => undefined)
  appendFileSync(file, '[ab]\n')
  appendFileSync(file, `\taaaaaaaaa = ${'x'.repeat(Math.max(0, size - statSync(file).size - 14))}\n`)
  utimesSync(file, atime, mtime)
  t.match((await read(repo)).refused, 'ab.aaaaaaaaa')
})

t.test('the hash function is known', async (t) => {
  t.match(await openConfigReader()(await bare(t)), { objectFormat: 'sha1' })
  t.match(await openConfigReader()(await bare(t, '--object-format=sha256')), {
    objectFormat: 'sha256',
    refused: null,
  })
})
