import t from 'tap'
import { agentJob, apiError } from '../../server/protocol/api.ts'
import { makeRepo, startForge, startJob } from '../support/forge.ts'

t.test('what cannot be is refused with its code, its status and a sentence', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  await makeRepo(t, forge, 'typo', { '.agent-workspace.json': '{"tset": "npm test"}' })
  await makeRepo(t, forge, 'broken', { '.agent-workspace.json': '{' })
  await forge.ask('/api/v1/repos', { body: { name: 'empty' } })
  const job = await startJob(forge, 'hello', 'true')
  const jobs = (repo: string) => `/api/v1/repos/${repo}/agent-jobs`
  const one = `${jobs('hello')}/${job.id}`
  const commit = 'a'.repeat(40)

  const wrong: [string, string, object, number, string][] = [
    ['a task over 64 KiB', jobs('hello'), { body: { task: 'x'.repeat(64 * 1024 + 1) } }, 413, 'too-large'],
    [
      'a task of 64 KiB in wide letters',
      jobs('hello'),
      { body: { task: 'ä'.repeat(40_000) } },
      413,
      'too-large',
    ],
    ['a body without end', jobs('hello'), { body: { task: 'x'.repeat(2_000_000) } }, 413, 'too-large'],
    ['no task', jobs('hello'), { body: {} }, 400, 'bad-request'],
    ['a blank task', jobs('hello'), { body: { task: ' \n' } }, 400, 'bad-request'],
    ['an unknown key', jobs('hello'), { body: { task: 'x', model: 'y' } }, 400, 'bad-request'],
    ['no JSON', jobs('hello'), { body: '{' }, 400, 'bad-request'],
    ['no such branch', jobs('hello'), { body: { task: 'x', base: 'nope' } }, 404, 'not-found'],
    ['no such repository', jobs('nope'), { body: { task: 'x' } }, 404, 'not-found'],
    ['an empty repository', jobs('empty'), { body: { task: 'x' } }, 409, 'repository-empty'],
    ['a misspelt setting', jobs('typo'), { body: { task: 'x' } }, 409, 'bad-workspace-file'],
    ['settings that are no JSON', jobs('broken'), { body: { task: 'x' } }, 409, 'bad-workspace-file'],
    ['a name that is taken', '/api/v1/repos', { body: { name: 'hello' } }, 409, 'already-exists'],
    [
      'approving what is not proposed',
      `${one}/approve`,
      { body: { commit, branch: 'b', old: null } },
      409,
      'wrong-state',
    ],
    ['rejecting what is not proposed', `${one}/reject`, { body: { reason: 'no' } }, 409, 'wrong-state'],
    ['rejecting without a reason', `${one}/reject`, { body: { reason: ' ' } }, 400, 'bad-request'],
    ['deleting refs of an active job', `${one}/refs`, { method: 'DELETE' }, 409, 'wrong-state'],
    [
      'deleting a repository with an active job',
      '/api/v1/repos/hello',
      { method: 'DELETE' },
      409,
      'repository-busy',
    ],
    ['a job of another repository', `${jobs('typo')}/${job.id}`, {}, 404, 'not-found'],
    ['a method that is not there', one, { method: 'PUT', body: {} }, 405, 'method-not-allowed'],
    ['an address that is not there', '/api/v1/nope', {}, 404, 'not-found'],
    ['nobody', '/api/v1/repos', { body: { name: 'x' }, token: null }, 401, 'not-signed-in'],
  ]
  for (const [what, where, request, status, code] of wrong) {
    const answer = await forge.ask(where, request)
    t.equal(answer.status, status, what)
    t.equal(answer.read(apiError).error.code, code, what)
  }
  const { issues } = (await forge.ask(jobs('typo'), { body: { task: 'x' } })).read(apiError).error
  t.match(issues?.[0]?.message, /tset/, 'the issue names the key')
})

t.test('a queued job is cancelled at once, and only once', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const cancel = () =>
    forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}/cancel`, { method: 'POST', body: {} })
  const first = await cancel()
  t.equal(first.status, 202)
  t.match(first.read(agentJob), { state: 'cancelled', reason: 'cancelled' })
  t.equal((await cancel()).status, 409)
})

t.test('a second forge on the same data folder is refused, and the first one lives on', async (t) => {
  const forge = await startForge(t)
  const second = startForge(t, { DATA_DIR: forge.dataDir })
  await t.rejects(second, /Another server uses this data folder/)
  t.equal((await forge.ask('/healthz')).status, 200)
})
