import { readFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { agentJob, jobRecord, listOf, token } from '../../server/protocol/api.ts'
import { genesis, readLine } from '../../server/protocol/audit-chain.ts'
import { needsEngine } from '../support/engine.ts'
import { commitFile, makeRepo, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { followJob, followToEnd } from '../support/job-events.ts'
import { startRunnerProcess } from '../support/runner-process.ts'

const workspaceFile = JSON.stringify({
  test: { command: 'sh test.sh', paths: ['test.sh'] },
  limits: { memoryBytes: 512 * 1024 * 1024, diskBytes: 128 * 1024 * 1024, cpus: 1 },
})

t.test('a task becomes a proposal, and the reviewed commit becomes a branch', needsEngine, async (t) => {
  const runner = await startRunnerProcess(t)
  const forge = await startForge(t, { ...runner.forForge })
  const { work, base } = await makeRepo(t, forge, 'hello', {
    'greeting.txt': 'hello\n',
    'test.sh': 'grep -q hello greeting.txt && echo "1 passed"\n',
    '.agent-workspace.json': workspaceFile,
  })
  const job = await startJob(
    forge,
    'hello',
    'echo working; echo hello, world > greeting.txt; echo new > added.txt',
  )
  const told = await followToEnd(forge, 'hello', job.id)
  const at = `/api/v1/repos/hello/agent-jobs/${job.id}`
  const shown = async () => (await forge.ask(at)).read(agentJob)
  const proposed = await shown()
  const commit = proposed.proposal?.commit ?? ''

  await t.test('what happened was told as it happened, in order and without gaps', async (t) => {
    const events = told.flatMap((one) => (one.type === 'job' ? [one.event] : []))
    t.same(
      events.map(({ seq }) => seq),
      events.map((_, index) => index + 1),
    )
    t.equal(events.filter(({ type }) => type === 'ended').length, 1)
    t.equal(events.at(-1)?.type, 'ended')
    const states = told.flatMap((one) => (one.type === 'state' ? [one.state.state] : []))
    t.equal(states.at(-1), 'proposed')
    t.match(JSON.stringify(events), /"text":"working\\n"/)
    const last = told.findLast((one) => one.type === 'job')
    const rest = []
    for await (const one of followJob(forge, 'hello', job.id, last?.type === 'job' ? last.id : ''))
      rest.push(one)
    t.same(
      rest.map(({ type }) => type),
      ['state'],
      'a client that comes back hears nothing twice',
    )
  })

  await t.test('the proposal descends from the base, and its tests were verified twice', async (t) => {
    t.equal(proposed.state, 'proposed')
    await git(['fetch', '-q', forge.remote('hello'), `refs/agents/${job.id}/r1`], {
      cwd: work,
      ca: forge.caFile,
    })
    t.equal(await git(['rev-parse', 'FETCH_HEAD'], { cwd: work }), commit)
    t.equal(await git(['merge-base', base, commit], { cwd: work }), base)
    t.equal(await git(['show', `${commit}:greeting.txt`], { cwd: work }), 'hello, world')
    t.equal(await git(['show', `${commit}:added.txt`], { cwd: work }), 'new')
    const tests = proposed.attempts[0]?.tests.map(({ against, result, exit }) => ({ against, result, exit }))
    t.same(tests, [
      { against: 'proposal', result: 'passed', exit: 0 },
      { against: 'base-tests', result: 'passed', exit: 0 },
    ])
    const tokens = (await forge.ask('/api/v1/tokens')).read(listOf(token)).items
    const live = tokens.filter(({ kind, revokedAt }) => kind === 'job' && revokedAt === null)
    t.same(live, [], 'no token of the job lives on')
  })

  await t.test('strangers see the diff and nothing of the job', async (t) => {
    const page = (await forge.ask(`/repos/hello/jobs/${job.id}`, { token: null })).text
    t.match(page, /hello, world/)
    t.notMatch(page, /echo working/, 'neither the task')
    t.notMatch(page, /Audit/, 'nor the audit')
    for (const where of [at, `${at}/events`, '/api/v1/repos/hello/agent-jobs', '/api/v1/agent-jobs']) {
      t.equal((await forge.ask(where, { token: null })).status, 401, where)
    }
  })

  const approve = (body: { commit: string; branch: string; old: string | null }) =>
    forge.ask(`${at}/approve`, { body })

  await t.test('what cannot be approved is refused with a plain sentence', async (t) => {
    await git(['push', '-q', forge.remote('hello', forge.token), 'main:taken', 'main:folder/inside'], {
      cwd: work,
      ca: forge.caFile,
    })
    const other = await commitFile(work, 'other', 'other\n')
    await git(['push', '-q', forge.remote('hello', forge.token), 'HEAD:moved'], {
      cwd: work,
      ca: forge.caFile,
    })
    const refused: [string, Parameters<typeof approve>[0], string][] = [
      ['another commit than the proposal’s', { commit: base, branch: 'new', old: null }, 'proposal-moved'],
      ['onto the default branch', { commit, branch: 'main', old: base }, 'branch-is-default'],
      ['onto a branch that has moved', { commit, branch: 'moved', old: base }, 'branch-moved'],
      ['onto a new branch that exists', { commit, branch: 'taken', old: null }, 'branch-moved'],
      ['onto a branch that is gone', { commit, branch: 'gone', old: base }, 'branch-moved'],
      ['onto a branch with other commits', { commit, branch: 'moved', old: other }, 'not-fast-forward'],
      ['onto a folder of branches', { commit, branch: 'folder', old: null }, 'branch-moved'],
    ]
    for (const [what, body, code] of refused) {
      const answer = await approve(body)
      t.equal(answer.status, 409, what)
      t.match(answer.text, `"code":"${code}"`)
    }
    for (const branch of ['..', 'a b', '-x.lock', 'x~1', '']) {
      t.equal((await approve({ commit, branch, old: null })).status, 400, JSON.stringify(branch))
    }
    t.equal((await shown()).state, 'proposed', 'and the proposal still waits')
  })

  await t.test('approving creates exactly the reviewed commit, once', async (t) => {
    const [one, two] = await Promise.all([
      approve({ commit, branch: 'fine', old: null }),
      approve({ commit, branch: 'fine-too', old: null }),
    ])
    t.same(new Set([one.status, two.status]), new Set([200, 409]), 'of two approvals at once one is first')
    await git(['fetch', '-q', forge.remote('hello'), '+refs/heads/*:refs/remotes/forge/*'], {
      cwd: work,
      ca: forge.caFile,
    })
    const branches = await git(['branch', '-r', '--points-at', commit], { cwd: work })
    t.equal(branches.split('\n').length, 1)
    t.equal((await shown()).decision?.commit, commit)
    t.equal((await approve({ commit, branch: 'again', old: null })).status, 409)
    const reject = await forge.ask(`${at}/reject`, { body: { reason: 'too late' } })
    t.equal(reject.status, 409)
  })

  await t.test('the audit has every field, and its chain holds', async (t) => {
    const { items } = (await forge.ask('/api/v1/agent-jobs')).read(listOf(jobRecord))
    const record = items[0]
    t.match(record, {
      job: job.id,
      repo: 'hello',
      task: job.task,
      exitReason: 'proposed',
      decision: 'approved',
    })
    t.ok(record?.start && record.end && record.start <= record.end)
    t.equal(record?.requester, record?.approver)
    t.equal(record?.containers.length, 4, 'agent, collect, courier and verify')
    t.same(
      record?.refsWritten.map(({ commit: id }) => id),
      [commit, commit, commit],
      'proposal, revision and branch',
    )
    let head = genesis
    for (const line of readFileSync(path.join(forge.dataDir, 'agent-jobs.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')) {
      const entry = readLine(head, line)
      head = { seq: entry.seq, hash: entry.hash }
    }
    t.ok(head.seq > 10)
  })

  await t.test('deleting the job’s refs leaves the branch and the record', async (t) => {
    t.equal((await forge.ask(`${at}/refs`, { method: 'DELETE' })).status, 204)
    const left = await git(['ls-remote', forge.remote('hello'), 'refs/agents/*'], {
      cwd: work,
      ca: forge.caFile,
    })
    t.equal(left, '')
    const fetched = await tryGit(['fetch', '-q', forge.remote('hello'), commit], {
      cwd: work,
      ca: forge.caFile,
    })
    t.equal(fetched.code, 0)
    t.equal((await shown()).state, 'approved')
  })
})
