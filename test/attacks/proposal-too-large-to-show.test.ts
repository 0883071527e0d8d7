import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { jobToken, makeRepo, type RunningForge, startForge, startJob } from '../support/forge.ts'
import { git } from '../support/git.ts'

const MB = 1_000_000

/** Commits what lies in the work tree, proposes it as a job, and returns what a stranger is shown of it. */
const propose = async (forge: RunningForge, work: string, branch: string, message: string) => {
  await git(['checkout', '-q', '-B', branch, 'main'], { cwd: work })
  await git(['add', '-A'], { cwd: work })
  await git(['commit', '-q', '-F', '-'], { cwd: work, input: message })
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const ref = `refs/agents/${job.id}/proposal`
  await git(['push', '-q', forge.remote('hello', token), `HEAD:${ref}`], { cwd: work, ca: forge.caFile })
  return forge.ask(`/repos/hello/jobs/${job.id}`, { token: null })
}

t.test('a proposal of millions of short lines is shown as far as a page holds them', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  for (let i = 0; i < 300; i += 1) writeFileSync(path.join(work, `f${i}`), 'a\n'.repeat(5000))
  const page = await propose(forge, work, 'rows', 'Rows')
  t.equal(page.status, 200)
  t.ok(page.text.length < 12 * MB, `${page.text.length} characters`)
  t.ok(/Only the first \d+ lines of this change are shown/.test(page.text))
})

t.test('lines of nothing but invisible characters do not fill the forge’s memory', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  // Each of them stands on the page under its name, forty times its size.
  writeFileSync(path.join(work, 'hidden'), `${'\x01'.repeat(250)}\n`.repeat(14_000))
  writeFileSync(path.join(work, 'long'), `${'x'.repeat(100_000)}\n`)
  const page = await propose(forge, work, 'hidden', 'Hidden')
  t.equal(page.status, 200)
  t.ok(page.text.length < 12 * MB, `${page.text.length} characters`)
  t.ok(/Only the first \d+ lines of this change are shown/.test(page.text))
})

t.test('names of nothing but invisible characters do not either', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  for (let i = 0; i < 2500; i += 1) writeFileSync(path.join(work, '\x01'.repeat(200) + i), '')
  const page = await propose(forge, work, 'names', 'Names')
  t.equal(page.status, 200)
  t.ok(page.text.length < 12 * MB, `${page.text.length} characters`)
  t.ok(/Only the first \d+ files are listed/.test(page.text))
})

t.test('a commit message of 20 MB does not take the page away', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  writeFileSync(path.join(work, 'new'), 'new\n')
  const page = await propose(forge, work, 'message', `Begin${'x'.repeat(20 * MB)}`)
  t.equal(page.status, 200)
  t.ok(/Beginxxx/.test(page.text))
  t.ok(/Tess/.test(page.text))
  t.ok(page.text.length < MB)
})
