import t from 'tap'
import { commitFile, jobToken, makeRepo, type RunningForge, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

const refsOf = async (forge: RunningForge, cwd: string): Promise<string[]> =>
  (await git(['ls-remote', forge.remote('hello')], { cwd, ca: forge.caFile }))
    .split('\n')
    .map((line) => line.split('\t')[1] ?? '')
    .filter((ref) => ref !== 'HEAD')

t.test('an agent that has a job’s token moves nothing but its own job’s refs', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const one = await startJob(forge, 'hello', 'true')
  const two = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', one.id)
  await commitFile(work, 'new', 'new\n')
  const push = (...refspecs: string[]) =>
    tryGit(['push', forge.remote('hello', token), ...refspecs], { cwd: work, ca: forge.caFile })

  const refused: [string, string[], RegExp][] = [
    ['a branch', ['HEAD:refs/heads/x'], /may push refs\/agents\/1\/\* only/],
    ['the default branch', ['HEAD:refs/heads/main'], /may push refs\/agents\/1\/\* only/],
    ['another job’s ref', [`HEAD:refs/agents/${two.id}/proposal`], /may push refs\/agents\/1\/\* only/],
    ['a job whose number begins with its own', ['HEAD:refs/agents/11/proposal'], /may push/],
    [
      'its own ref together with a branch',
      ['HEAD:refs/agents/1/proposal', 'HEAD:refs/heads/y'],
      /refs\/heads\/y/,
    ],
    ['a revision that the forge writes', ['HEAD:refs/agents/1/r1'], /written by the forge/],
    ['a tag', ['HEAD:refs/tags/v1'], /may push/],
    ['the folder itself', ['HEAD:refs/agents/1'], /may push/],
  ]
  for (const [what, refspecs, why] of refused) {
    await t.test(`refused: ${what}`, async (t) => {
      const ran = await push(...refspecs)
      t.not(ran.code, 0)
      t.match(ran.err, why)
      t.same(await refsOf(forge, work), ['refs/heads/main'], 'nothing has moved')
    })
  }

  await t.test('its own proposal is taken, and then neither deleted nor built upon', async (t) => {
    const taken = await push('HEAD:refs/agents/1/proposal')
    t.equal(taken.code, 0, taken.err)
    const all = ['refs/agents/1/proposal', 'refs/agents/1/r1', 'refs/heads/main']
    t.same(await refsOf(forge, work), all)

    const deleted = await push(':refs/agents/1/proposal')
    t.not(deleted.code, 0)
    t.match(deleted.err, /deletes nothing/)
    const below = await push('HEAD:refs/agents/1/proposal/x')
    t.not(below.code, 0, 'a name below an existing ref')
    t.same(await refsOf(forge, work), all)
  })

  await t.test('nor does the owner write where jobs write', async (t) => {
    const ran = await tryGit(['push', forge.remote('hello', forge.token), 'HEAD:refs/agents/2/proposal'], {
      cwd: work,
      ca: forge.caFile,
    })
    t.not(ran.code, 0)
    t.match(ran.err, /only a job writes under refs\/agents\//)
  })

  await t.test('a job’s token is no key to another repository', async (t) => {
    await forge.ask('/api/v1/repos', { body: { name: 'other' } })
    const ran = await tryGit(['push', forge.remote('other', token), 'HEAD:refs/agents/1/proposal'], {
      cwd: work,
      ca: forge.caFile,
    })
    t.not(ran.code, 0)
    t.match(ran.err, /403/)
  })
})

t.test('a proposal that does not descend from the job’s base is refused', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  await git(['checkout', '-q', '--orphan', 'elsewhere'], { cwd: work })
  await commitFile(work, 'other', 'other\n')
  const ran = await tryGit(['push', forge.remote('hello', token), 'HEAD:refs/agents/1/proposal'], {
    cwd: work,
    ca: forge.caFile,
  })
  t.not(ran.code, 0)
  t.match(ran.err, /must descend from the job’s base/)
})
