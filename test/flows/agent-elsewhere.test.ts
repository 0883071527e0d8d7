import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t, { type Test } from 'tap'
import {
  type AgentAccess,
  agentJob,
  type CreatedAgentJob,
  createdAgentJob,
  type JobRecord,
  jobRecord,
  listOf,
} from '../../server/protocol/api.ts'
import { commitFile, makeRepo, type RunningForge, startForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

const jobs = '/api/v1/repos/hello/agent-jobs'

const openJob = async (forge: RunningForge): Promise<CreatedAgentJob & { access: AgentAccess }> => {
  const answer = await forge.ask(jobs, { body: { task: 'Say hello in French', agent: 'external' } })
  const job = answer.read(createdAgentJob)
  if (!job.access) throw new Error('no access')
  return { ...job, access: job.access }
}

const show = async (forge: RunningForge, id: number) => (await forge.ask(`${jobs}/${id}`)).read(agentJob)

const recordOf = async (forge: RunningForge, id: number): Promise<JobRecord | undefined> =>
  (await forge.ask('/api/v1/agent-jobs')).read(listOf(jobRecord)).items.find(({ job }) => job === id)

/** Runs commands as a person would who pastes them, with only the forge's certificate known beforehand. */
const paste = async (t: Test, forge: RunningForge, token: string, commands: readonly string[]) => {
  const child = spawn('sh', ['-e', '-c', commands.join('\n')], {
    cwd: tempFolder(t),
    env: {
      PATH: process.env['PATH'],
      HOME: '/nonexistent',
      JOB_TOKEN: token,
      GIT_SSL_CAINFO: forge.caFile,
      GIT_TERMINAL_PROMPT: '0',
      GIT_AUTHOR_NAME: 'Agent',
      GIT_AUTHOR_EMAIL: 'agent@example.org',
      GIT_COMMITTER_NAME: 'Agent',
      GIT_COMMITTER_EMAIL: 'agent@example.org',
    },
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await once(child, 'close')
  return { code: child.exitCode, said }
}

t.test('an agent elsewhere brings a proposal with the commands that it was given', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const job = await openJob(forge)
  t.match(job, { state: 'open', reason: null, agent: { kind: 'external' }, proposal: null })
  t.match(job.access.token, /^spb_job_/)
  t.ok(Date.parse(job.access.expires) - Date.parse(job.createdAt) <= 2 * 3_600_000 + 5000)
  t.notMatch((await forge.ask(`${jobs}/${job.id}`)).text, job.access.token, 'shown once')

  const [clone, commit, push] = job.access.commands
  const ran = await paste(t, forge, job.access.token, [clone, 'echo bonjour > bonjour', commit, push])
  t.equal(ran.code, 0, ran.said)
  t.match(ran.said, `/repos/hello/jobs/${job.id}`)

  const proposed = await show(forge, job.id)
  t.match(proposed, {
    state: 'proposed',
    proposal: { attempt: 1, revision: `refs/agents/${job.id}/r1` },
    attempts: [{ number: 1, state: 'proposed', containers: [], tests: [{ result: 'not-run', exit: null }] }],
  })
  const commitId = proposed.proposal?.commit
  const approved = await forge.ask(`${jobs}/${job.id}/approve`, {
    body: { commit: commitId, branch: 'bonjour', old: null },
  })
  t.equal(approved.status, 200, approved.text)
  const record = await recordOf(forge, job.id)
  t.match(record, { decision: 'approved', exitReason: 'proposed', containers: [] })
  t.ok(record?.start && record.end)
})

t.test('each further commit is an attempt of its own, until the decision', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const { id, access } = await openJob(forge)
  const push = (...refspecs: string[]) =>
    tryGit(['push', forge.remote('hello', access.token), ...refspecs], { cwd: work, ca: forge.caFile })
  const target = `refs/agents/${id}/proposal`

  const one = await commitFile(work, 'a', 'one\n')
  t.equal((await push(`HEAD:${target}`)).code, 0)
  t.equal((await push(`HEAD:${target}`)).code, 0, 'the same commit again moves nothing')
  t.match(await show(forge, id), { proposal: { attempt: 1, commit: one } })

  const two = await commitFile(work, 'a', 'two\n')
  t.equal((await push(`HEAD:${target}`)).code, 0)
  t.match(await show(forge, id), { state: 'proposed', proposal: { attempt: 2, commit: two } })

  const body = { commit: one, branch: 'topic', old: null }
  const stale = await forge.ask(`${jobs}/${id}/approve`, { body })
  t.equal(stale.status, 409)
  t.match(stale.text, 'proposal-moved', 'what was not seen is not approved')

  t.equal((await push(`+${one}:${target}`)).code, 0, 'back to the first commit')
  t.match(await show(forge, id), { proposal: { attempt: 3, commit: one, revision: `refs/agents/${id}/r3` } })
  t.match(
    await git(['ls-remote', forge.remote('hello')], { cwd: work, ca: forge.caFile }),
    `${one}\trefs/agents/${id}/r1\n${two}\trefs/agents/${id}/r2\n${one}\trefs/agents/${id}/r3`,
  )

  t.equal((await forge.ask(`${jobs}/${id}/approve`, { body })).status, 200)
  const late = await push(`+${two}:${target}`)
  t.not(late.code, 0)
  t.match(late.err, /Authentication failed|401/, 'its token ended with the decision')
  const scope = { repo: 'hello', refs: `refs/agents/${id}/*`, expires: new Date(Date.now() + 60_000) }
  const other = await forge.ask('/api/v1/tokens', { body: { label: 'late', scope } })
  const { token } = JSON.parse(other.text) as { token: string }
  const again = await tryGit(['push', forge.remote('hello', token), `+${two}:${target}`], {
    cwd: work,
    ca: forge.caFile,
  })
  t.match(again.err, 'does not wait for a proposal', 'and a new one opens nothing')
  t.match(await show(forge, id), { state: 'approved', proposal: { attempt: 3, commit: one } })
})

t.test(
  'of pushes at once, each that was taken is an attempt, and the last one is the proposal',
  async (t) => {
    const forge = await startForge(t)
    const { work } = await makeRepo(t, forge)
    const { id, access } = await openJob(forge)
    const commits: string[] = []
    for (let n = 0; n < 5; n += 1) commits.push(await commitFile(work, 'a', `${n}\n`))
    const pushes = await Promise.all(
      commits.map((commit) =>
        tryGit(['push', forge.remote('hello', access.token), `+${commit}:refs/agents/${id}/proposal`], {
          cwd: work,
          ca: forge.caFile,
        }),
      ),
    )
    const taken = commits.filter((_, index) => pushes[index]?.code === 0)
    t.ok(taken.length > 0)
    const { attempts, proposal } = await show(forge, id)
    t.same(
      attempts.map(({ state }) => state),
      taken.map(() => 'proposed'),
    )
    const refs = await git(['ls-remote', forge.remote('hello'), 'refs/agents/*'], {
      cwd: work,
      ca: forge.caFile,
    })
    const at = new Map(refs.split('\n').map((line) => [line.split('\t')[1], line.split('\t')[0]]))
    t.equal(at.get(`refs/agents/${id}/proposal`), proposal?.commit)
    t.same(new Set(taken.map((_, index) => at.get(`refs/agents/${id}/r${index + 1}`))), new Set(taken))
    const record = await recordOf(forge, id)
    t.equal(record?.refsWritten.length, 2 * taken.length, 'each with its revision')
  },
)

t.test('a job that is cancelled takes nothing', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const { id, access } = await openJob(forge)
  t.equal((await forge.ask(`${jobs}/${id}/cancel`, { method: 'POST' })).status, 202)
  t.match(await show(forge, id), { state: 'cancelled', reason: 'cancelled' })
  await commitFile(work, 'a', 'one\n')
  const ran = await tryGit(['push', forge.remote('hello', access.token), `HEAD:refs/agents/${id}/proposal`], {
    cwd: work,
    ca: forge.caFile,
  })
  t.match(ran.err, /Authentication failed|401/)
})

t.test('a job to which nothing was pushed in time fails, also when the forge was away', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const gone = await openJob(forge)
  const soon = await openJob(forge)
  await forge.kill('SIGTERM')
  const db = new DatabaseSync(path.join(forge.dataDir, 'forge.sqlite'))
  const expire = db.prepare('update tokens set expires_at = ? where scope_job = ?')
  expire.run(Date.now() - 1000, gone.id)
  expire.run(Date.now() + 4000, soon.id)
  db.close()
  await forge.start()
  for (const { id } of [gone, soon]) {
    const events = await forge.ask(`${jobs}/${id}/events`)
    t.match(events.text, /"state":"failed","reason":"deadline"/)
    t.match(await show(forge, id), { state: 'failed', reason: 'deadline' })
  }
})

t.test('the page gives the token once and says what the forge did not watch', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const cookies = new Map<string, string>()
  const page = async (where: string, form?: Record<string, string>) => {
    const answer = await forge.ask(where, {
      token: null,
      headers: {
        cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; '),
        ...(form ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
      },
      ...(form ? { body: new URLSearchParams(form).toString() } : {}),
    })
    for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? []
      cookies.set(name, value)
    }
    return answer
  }
  const csrfIn = (text: string) => /name="_csrf" value="([^"]+)"/.exec(text)?.[1] ?? ''
  const signIn = await page('/sign-in')
  await page('/sign-in', { token: forge.token, next: '/', _csrf: csrfIn(signIn.text) })
  const form = await page('/repos/hello/jobs')
  const opened = await page('/repos/hello/jobs', {
    task: 'Say hello in French',
    base: 'main',
    agent: 'external',
    _csrf: csrfIn(form.text),
  })
  const [token = ''] = /spb_job_\w+/.exec(opened.text) ?? []
  t.not(token, '')
  t.match(opened.headers['cache-control'], 'no-store')
  const waiting = await page('/repos/hello/jobs/1')
  t.match(waiting.text, 'The forge does not watch it')
  t.match(waiting.text, 'Waiting for a push')
  t.notMatch(waiting.text, token)
  await commitFile(work, 'a', 'one\n')
  await git(['push', '-q', forge.remote('hello', token), 'HEAD:refs/agents/1/proposal'], {
    cwd: work,
    ca: forge.caFile,
  })
  const proposed = await page('/repos/hello/jobs/1')
  t.match(proposed.text, 'The forge does not watch it')
  t.match(proposed.text, 'no runner has run the tests on it')
  t.match(proposed.text, 'Approve to this branch')
})
