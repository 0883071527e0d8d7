import { chmodSync, existsSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { deleteRefs, isSymbolic, swapRef } from '../../../server/git/moving-refs.ts'
import { listRefs, resolveRef } from '../../../server/git/reading.ts'
import { type CommitId, commitId } from '../../../server/protocol/ids.ts'
import { refName } from '../../../server/protocol/refs.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const topic = refName.parse('refs/heads/topic')

const open = async (t: Test): Promise<{ repo: string; a: CommitId; b: CommitId }> => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '-b', 'main', '.'], { cwd: repo })
  const tree = await git(['mktree'], { cwd: repo })
  const a = commitId.parse(await git(['commit-tree', '-m', 'a', tree], { cwd: repo }))
  const b = commitId.parse(await git(['commit-tree', '-m', 'b', '-p', a, tree], { cwd: repo }))
  return { repo, a, b }
}

t.test('a ref moves from exactly where it was seen', async (t) => {
  const { repo, a, b } = await open(t)
  t.equal(await swapRef(repo, topic, a, null), true)
  t.equal(await swapRef(repo, topic, b, null), false, 'it exists by now')
  t.equal(await swapRef(repo, topic, b, b), false, 'it is elsewhere')
  t.equal(await resolveRef(repo, topic), a)
  t.equal(await swapRef(repo, topic, b, a), true)
  t.equal(await resolveRef(repo, topic), b)
})

t.test('of many who move a ref at once, one does', async (t) => {
  const { repo, a, b } = await open(t)
  await swapRef(repo, topic, a, null)
  const moved = await Promise.all(Array.from({ length: 6 }, () => swapRef(repo, topic, b, a)))
  t.equal(moved.filter(Boolean).length, 1)
})

t.test('a name that is a folder of refs, or lies below a ref, cannot be made', async (t) => {
  const { repo, a } = await open(t)
  await swapRef(repo, topic, a, null)
  t.equal(await swapRef(repo, refName.parse('refs/heads/topic/below'), a, null), false)
  await swapRef(repo, refName.parse('refs/heads/deep/er'), a, null)
  t.equal(await swapRef(repo, refName.parse('refs/heads/deep'), a, null), false)
})

t.test('a commit that is not there is not written', async (t) => {
  const { repo } = await open(t)
  t.equal(await swapRef(repo, topic, commitId.parse('1'.repeat(40)), null), false)
  t.equal(await resolveRef(repo, topic), null)
})

t.test('a ref that somebody else holds locked is not moved', async (t) => {
  const { repo, a } = await open(t)
  writeFileSync(path.join(repo, 'refs/heads/topic.lock'), '')
  t.equal(await swapRef(repo, topic, a, null), false)
})

t.test('a symbolic ref is told from a ref, and is never followed', async (t) => {
  const { repo, a, b } = await open(t)
  const main = refName.parse('refs/heads/main')
  await swapRef(repo, main, a, null)
  await git(['symbolic-ref', topic, main], { cwd: repo })
  t.equal(await isSymbolic(repo, topic), true)
  t.equal(await isSymbolic(repo, main), false)
  t.equal(await isSymbolic(repo, refName.parse('refs/heads/none')), false)
  await swapRef(repo, topic, b, a)
  t.equal(await resolveRef(repo, main), a)
})

t.test('where git cannot tell whether a ref is symbolic, nobody is told that it is not', async (t) => {
  const { repo } = await open(t)
  writeFileSync(path.join(repo, topic), 'garbage\n')
  await t.rejects(isSymbolic(repo, topic), { code: 'git-failed' })
})

t.test('refs are deleted all or none, each only where it was seen', async (t) => {
  const { repo, a, b } = await open(t)
  const one = { ref: refName.parse('refs/agents/1/proposal'), commit: a }
  const two = { ref: refName.parse('refs/agents/1/r1'), commit: b }
  await swapRef(repo, one.ref, a, null)
  await swapRef(repo, two.ref, b, null)
  t.equal(await deleteRefs(repo, [one, { ...two, commit: a }]), false)
  t.equal((await listRefs(repo, 'refs/agents/1')).length, 2)
  t.equal(await deleteRefs(repo, [one, two]), true)
  t.same(await listRefs(repo, 'refs/agents/1'), [])
  t.notOk(existsSync(path.join(repo, 'refs/agents/1')))
})

/** A git that does what it is asked and is then killed, as by the limits, before it can say so. */
const killUpdates = (t: Test): void => {
  const folder = tempFolder(t)
  const before = process.env['PATH'] ?? ''
  const script = `#!/bin/sh\nPATH='${before}'\ngit "$@" || exit\n[ "$1" != update-ref ] || kill -9 $$\n`
  writeFileSync(path.join(folder, 'git'), script)
  chmodSync(path.join(folder, 'git'), 0o755)
  process.env['PATH'] = `${folder}:${before}`
  t.teardown(() => {
    process.env['PATH'] = before
  })
}

t.test('a git that was killed after the move has moved the ref', async (t) => {
  const { repo, a, b } = await open(t)
  await swapRef(repo, topic, a, null)
  killUpdates(t)
  t.equal(await swapRef(repo, topic, b, a), true)
  t.equal(await swapRef(repo, topic, a, a), false, 'and one that moved nothing has not')
  t.equal(await deleteRefs(repo, [{ ref: topic, commit: b }]), true)
  t.equal(await resolveRef(repo, topic), null)
})
