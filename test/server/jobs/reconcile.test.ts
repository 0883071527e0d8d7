import { rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { commitId, jobId } from '../../../server/protocol/ids.ts'
import { proposalRef, refName, revisionRef } from '../../../server/protocol/refs.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'
import { addJob, first, openInProcess, repo } from './forge-in-process.ts'

/** A repository of the forge with one commit that no ref holds yet. */
const addRepo = async ({ forge }: Awaited<ReturnType<typeof openInProcess>>) => {
  const at = await forge.repositories.create(repo)
  const tree = await git(['mktree'], { cwd: at })
  return { at, commit: commitId.parse(await git(['commit-tree', '-m', 'x', tree], { cwd: at })) }
}

t.test('no job id is given twice, though the database was lost', async (t) => {
  const folder = tempFolder(t)
  const before = await openInProcess(t, folder)
  for (let n = 0; n < 3; n += 1) await addJob(before.forge)
  await before.forge.audit.append({ type: 'attempt-intended', job: jobId.parse(3), attempt: first }, 0)
  await before.close()
  rmSync(path.join(folder, 'forge.sqlite'))
  const after = await openInProcess(t, folder)
  t.equal((await addJob(after.forge)).id, 4)
})

t.test('no job id is given twice, though database and log were lost and only refs are left', async (t) => {
  const folder = tempFolder(t)
  const before = await openInProcess(t, folder)
  const { at, commit } = await addRepo(before)
  for (const job of [9, 77, 10]) await git(['update-ref', proposalRef(jobId.parse(job)), commit], { cwd: at })
  await before.close()
  for (const file of ['forge.sqlite', 'agent-jobs.jsonl']) rmSync(path.join(folder, file))
  const after = await openInProcess(t, folder)
  t.equal((await addJob(after.forge)).id, 78)
})

t.test(
  'a push that was let in is closed from the refs: with its proposal where they moved, with nothing where not',
  async (t) => {
    const folder = tempFolder(t)
    const before = await openInProcess(t, folder)
    const { at, commit } = await addRepo(before)
    const moved = await addJob(before.forge)
    const unmoved = await addJob(before.forge)
    for (const { id, token } of [moved, unmoved])
      await before.forge.audit.append(
        {
          type: 'push-intended',
          job: id,
          attempt: first,
          repo,
          by: token,
          updates: [{ ref: proposalRef(id), old: null, new: commit }],
        },
        0,
      )
    await git(['update-ref', proposalRef(moved.id), commit], { cwd: at })
    // A branch with the very name of the other's ref below refs/heads is not that ref.
    await git(['update-ref', `refs/heads/${proposalRef(unmoved.id)}`, commit], { cwd: at })
    await before.close()
    const { forge } = await openInProcess(t, folder)
    t.same(forge.audit.openIntents(), [])
    t.match((await forge.audit.ofJob(moved.id)).at(-1), {
      type: 'push-done',
      moved: [{ ref: proposalRef(moved.id), commit }],
    })
    t.match((await forge.audit.ofJob(unmoved.id)).at(-1), { type: 'push-done', moved: [] })
    t.equal(await git(['rev-parse', revisionRef(moved.id, first)], { cwd: at }), commit)
    t.match(await forge.jobs.find(repo, moved.id), { proposal: { commit } })
    t.match(await forge.jobs.find(repo, unmoved.id), { proposal: null })
  },
)

t.test('an approval is closed from the branch', async (t) => {
  const folder = tempFolder(t)
  const before = await openInProcess(t, folder)
  const { at, commit } = await addRepo(before)
  const moved = await addJob(before.forge)
  const unmoved = await addJob(before.forge)
  for (const { id, token } of [moved, unmoved]) {
    const branch = refName.parse(`refs/heads/job-${id}`)
    await before.forge.audit.append(
      { type: 'approve-intended', job: id, attempt: first, commit, branch, old: null, by: token },
      0,
    )
  }
  await git(['update-ref', `refs/heads/job-${moved.id}`, commit], { cwd: at })
  await before.close()
  const { forge } = await openInProcess(t, folder)
  t.same(forge.audit.openIntents(), [])
  t.match(await forge.jobs.find(repo, moved.id), {
    state: 'approved',
    decision: { commit, branch: `refs/heads/job-${moved.id}` },
  })
  t.match(await forge.jobs.find(repo, unmoved.id), { state: 'running', decision: null })
})

t.test('what cannot be closed stays open, and the forge starts', async (t) => {
  const folder = tempFolder(t)
  const before = await openInProcess(t, folder)
  const { at, commit } = await addRepo(before)
  const { id, token } = await addJob(before.forge)
  await before.forge.audit.append(
    {
      type: 'push-intended',
      job: id,
      attempt: first,
      repo,
      by: token,
      updates: [{ ref: proposalRef(id), old: null, new: commit }],
    },
    0,
  )
  await before.close()
  writeFileSync(path.join(at, 'HEAD'), 'garbage')
  const { forge } = await openInProcess(t, folder)
  t.match(forge.audit.openIntents(), [{ type: 'push-intended', job: id }])
  t.match(await forge.jobs.find(repo, id), { proposal: null })
})
