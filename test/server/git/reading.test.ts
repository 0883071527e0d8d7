import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import {
  isAncestor,
  isEmptyRepository,
  listCommits,
  listMerged,
  listRefs,
  readDefaultBranch,
  readFileAt,
  resolveRef,
} from '../../../server/git/reading.ts'
import { type CommitId, commitId } from '../../../server/protocol/ids.ts'
import { refName } from '../../../server/protocol/refs.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const main = refName.parse('refs/heads/main')

const open = async (t: Test) => {
  const work = tempFolder(t)
  await git(['init', '-q', '-b', 'main', '.'], { cwd: work })
  const repo = path.join(work, '.git')
  const commit = async (message: string): Promise<CommitId> => {
    await git(['add', '-A'], { cwd: work })
    await git(['commit', '-q', '--allow-empty', '--allow-empty-message', '-m', message], { cwd: work })
    return commitId.parse(await git(['rev-parse', 'HEAD'], { cwd: work }))
  }
  return { work, repo, commit }
}

t.test('an empty repository has a branch to come and no commit', async (t) => {
  const { repo } = await open(t)
  t.equal(await isEmptyRepository(repo), true)
  t.equal(await readDefaultBranch(repo), main)
  t.equal(await resolveRef(repo, main), null)
  t.same(await listRefs(repo, 'refs/heads/'), [])
})

t.test(
  'a branch leads to its commit, a tag to the commit that it names, another object to none',
  async (t) => {
    const { work, repo, commit } = await open(t)
    const a = await commit('a')
    t.equal(await isEmptyRepository(repo), false)
    t.equal(await resolveRef(repo, main), a)
    await git(['tag', '-a', '-m', 'x', 'v1'], { cwd: work })
    t.equal(await resolveRef(repo, refName.parse('refs/tags/v1')), a)
    const blob = await git(['hash-object', '-w', '--stdin'], { cwd: work, input: 'x' })
    await git(['update-ref', 'refs/tags/blob', blob], { cwd: work })
    t.equal(await resolveRef(repo, refName.parse('refs/tags/blob')), null)
  },
)

t.test('a full name is never taken for a shorter one of something else', async (t) => {
  const { work, repo, commit } = await open(t)
  const a = await commit('a')
  await git(['update-ref', 'refs/heads/refs/heads/topic', a], { cwd: work })
  t.equal(await resolveRef(repo, refName.parse('refs/heads/topic')), null)
})

t.test('a HEAD that is detached names no branch', async (t) => {
  const { work, repo, commit } = await open(t)
  await commit('a')
  await git(['checkout', '-q', '--detach'], { cwd: work })
  t.equal(await readDefaultBranch(repo), null)
})

t.test('where git fails, no answer is made up', async (t) => {
  const repo = tempFolder(t)
  await t.rejects(readDefaultBranch(repo), { code: 'git-failed' })
  await t.rejects(resolveRef(repo, main), { code: 'git-failed' })
  await t.rejects(isEmptyRepository(repo), { code: 'git-failed' })
})

t.test('refs are listed by folder, symbolic ones left out, and merged ones told apart', async (t) => {
  const { work, repo, commit } = await open(t)
  const a = await commit('a')
  await git(['branch', 'old'], { cwd: work })
  const b = await commit('b')
  await git(['branch', 'feature/ü'], { cwd: work })
  await git(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'], { cwd: work })
  await git(['update-ref', 'refs/agents/1/proposal', a], { cwd: work })
  t.same(await listRefs(repo, 'refs/heads/'), [
    { ref: 'refs/heads/feature/ü', commit: b },
    { ref: 'refs/heads/main', commit: b },
    { ref: 'refs/heads/old', commit: a },
  ])
  t.same(await listMerged(repo, 'refs/heads/', a), [{ ref: 'refs/heads/old', commit: a }])
  t.equal(await isAncestor(repo, a, b), true)
  t.equal(await isAncestor(repo, b, a), false)
})

t.test('a repository whose first branch is another name for one is not empty', async (t) => {
  const { work, repo, commit } = await open(t)
  await commit('a')
  await git(['symbolic-ref', 'refs/heads/alias', 'refs/heads/main'], { cwd: work })
  t.equal(await isEmptyRepository(repo), false)
})

t.test('a job’s folder of refs does not hold those of a job whose number begins alike', async (t) => {
  const { work, repo, commit } = await open(t)
  const a = await commit('a')
  await git(['update-ref', 'refs/agents/1/proposal', a], { cwd: work })
  await git(['update-ref', 'refs/agents/10/proposal', a], { cwd: work })
  t.same(await listRefs(repo, 'refs/agents/1/'), [{ ref: 'refs/agents/1/proposal', commit: a }])
})

t.test('a file is read at a commit; what is no regular file, or is not there, is null', async (t) => {
  const { work, repo, commit } = await open(t)
  writeFileSync(path.join(work, 'file'), 'text\n')
  symlinkSync('file', path.join(work, 'link'))
  mkdirSync(path.join(work, 'folder'))
  writeFileSync(path.join(work, 'folder/inner'), 'x')
  const a = await commit('a')
  rmSync(path.join(work, 'file'))
  const b = await commit('b')
  t.equal(await readFileAt(repo, a, 'file', 100), 'text\n')
  for (const name of ['link', 'folder', 'none', 'f*', ':(glob)*', '../file'])
    t.equal(await readFileAt(repo, a, name, 100).catch(() => null), null, name)
  t.equal(await readFileAt(repo, b, 'file', 100), null)
  await t.rejects(readFileAt(repo, a, 'file', 3), { code: 'git-output-too-large' })
})

t.test('the newest commits come oldest first, with whatever is in their messages', async (t) => {
  const { repo, commit } = await open(t)
  const base = await commit('base')
  await commit('one')
  const two = await commit('two\n\nbody')
  const three = await commit('')
  t.match(await listCommits(repo, base, three, 2), [
    { id: two, subject: 'two', author: 'Tess <tess@example.org>' },
    { id: three, subject: '' },
  ])
  t.same(await listCommits(repo, three, three, 10), [])
  t.equal((await listCommits(repo, base, three, 10)).length, 3)
})
