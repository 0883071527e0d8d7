import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { agentJob } from '../../server/protocol/api.ts'
import { commitFile, jobToken, makeRepo, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

/** Tags and branches whose short names are the full names, or the short ones, of other refs. */
const decoys = [
  'refs/tags/main',
  'refs/tags/refs/heads/main',
  'refs/tags/refs/heads/topic',
  'refs/heads/refs/heads/main',
  'refs/tags/refs/agents/1/proposal',
  'refs/tags/refs/agents/1/r1',
  'refs/tags/agents/1/proposal',
  'refs/heads/tags/main',
]

t.test('a ref that is named like another misleads nothing', async (t) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const options = { cwd: work, ca: forge.caFile }
  const wrong = await commitFile(work, 'wrong', 'wrong\n')
  const planted = await tryGit(
    ['push', forge.remote('hello', forge.token), ...decoys.map((ref) => `HEAD:${ref}`)],
    options,
  )
  t.equal(planted.code, 0, planted.err)
  await git(['reset', '-q', '--hard', base], options)
  const refs = async (): Promise<Map<string, string>> =>
    new Map(
      (await git(['ls-remote', forge.remote('hello')], options))
        .split('\n')
        .map((line): [string, string] => [line.slice(line.indexOf('\t') + 1), line.split('\t')[0] ?? '']),
    )
  const jobs = '/api/v1/repos/hello/agent-jobs'

  await t.test('what moved is on record by its full name', async (t) => {
    const db = new DatabaseSync(path.join(forge.dataDir, 'forge.sqlite'), { readOnly: true })
    const rows = db.prepare('select ref from ref_updates where new = ?').all(wrong)
    db.close()
    t.same(new Set(rows.map(({ ref }) => ref)), new Set(decoys))
  })

  await t.test('a job starts from the branch itself', async (t) => {
    t.match(await startJob(forge, 'hello', 'true'), { id: 1, base: { ref: 'refs/heads/main', commit: base } })
    const named = await forge.ask(jobs, { body: { task: 'true', base: 'main' } })
    t.match(named.read(agentJob).base, { ref: 'refs/heads/main', commit: base })
    const missing = await forge.ask(jobs, { body: { task: 'true', base: 'topic' } })
    t.equal(missing.status, 404, 'a tag called refs/heads/topic is no branch topic')
    const full = await forge.ask(jobs, { body: { task: 'true', base: 'refs/heads/main' } })
    t.equal(full.status, 400)
  })

  const token = await jobToken(forge, 'hello', 1)
  await t.test(
    'the hook lets a job’s token into its own folder and into no name that ends like it',
    async (t) => {
      for (const ref of [
        'refs/tags/refs/agents/1/proposal',
        'refs/heads/refs/agents/1/proposal',
        'refs/refs/agents/1/proposal',
        'refs/tags/refs/agents/1/other',
      ]) {
        const ran = await tryGit(['push', '--force', forge.remote('hello', token), `HEAD:${ref}`], options)
        t.not(ran.code, 0, ref)
        t.match(ran.err, /this token may push refs\/agents\/1\/\* only|hidden ref/)
      }
      const right = await commitFile(work, 'right', 'right\n')
      const ran = await tryGit(['push', forge.remote('hello', token), 'HEAD:refs/agents/1/proposal'], options)
      t.equal(ran.code, 0, ran.err)
      const job = (await forge.ask(`${jobs}/1`)).read(agentJob)
      t.match(job.proposal, { commit: right, ref: 'refs/agents/1/proposal', revision: 'refs/agents/1/r1' })
      const now = await refs()
      t.equal(now.get('refs/agents/1/r1'), right)
      t.equal(now.get('refs/tags/refs/agents/1/r1'), wrong, 'the tag is what it was')
    },
  )

  await t.test('the pages show branches as branches and the proposal as it is', async (t) => {
    const page = await forge.ask('/repos/hello', { token: null })
    t.match(page.text, /<code>main<\/code> <span class="tag">default<\/span>/)
    t.match(page.text, /<code>refs\/heads\/main<\/code><\/span>/, 'another branch, which is not the default')
    t.equal(page.text.match(/>Proposal of job/g)?.length, 1, 'a tag is no proposal')
    const proposal = await forge.ask('/repos/hello/jobs/1', { token: null })
    t.match(proposal.text, '>right<')
    t.notMatch(proposal.text, '>wrong<')
  })
})

t.test('an approval goes to the branch that was named', async (t) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const options = { cwd: work, ca: forge.caFile }
  const wrong = await commitFile(work, 'wrong', 'wrong\n')
  await git(
    ['push', '-q', forge.remote('hello', forge.token), ...decoys.map((ref) => `HEAD:${ref}`)],
    options,
  )
  await git(['reset', '-q', '--hard', base], options)
  const approve = async (id: number, body: object) => {
    const answer = await forge.ask(`/api/v1/repos/hello/agent-jobs/${id}/approve`, { body })
    return answer.status
  }
  const opened = await forge.ask('/api/v1/repos/hello/agent-jobs', {
    body: { task: 'x', agent: 'external' },
  })
  const { access } = JSON.parse(opened.text) as { access: { token: string } }
  const commit = await commitFile(work, 'right', 'right\n')
  await git(['push', '-q', forge.remote('hello', access.token), 'HEAD:refs/agents/1/proposal'], options)

  t.equal(await approve(1, { commit, branch: 'main', old: base }), 409, 'the default branch')
  t.equal(await approve(1, { commit, branch: 'refs/heads/topic', old: null }), 400, 'a full name')
  t.equal(
    await approve(1, { commit, branch: 'topic', old: wrong }),
    409,
    'the tag’s commit is not the branch’s',
  )
  t.equal(await approve(1, { commit, branch: 'topic', old: null }), 200)
  const listed = await git(['ls-remote', forge.remote('hello'), '*topic'], options)
  t.same(listed.split('\n'), [`${commit}\trefs/heads/topic`, `${wrong}\trefs/tags/refs/heads/topic`])

  await forge.ask('/api/v1/repos/hello/agent-jobs/1/refs', { method: 'DELETE' })
  const left = await git(['ls-remote', forge.remote('hello'), '*agents/1/*'], options)
  t.notMatch(left, '\trefs/agents/')
  t.match(left, 'refs/tags/refs/agents/1/r1')
  const page = await forge.ask('/repos/hello/jobs/1', { token: null })
  t.match(page.text, 'There is no proposal to see.', 'a tag called like its ref does not bring it back')
})
