import t from 'tap'
import { createdToken } from '../../server/protocol/api.ts'
import { jobToken, makeRepo, startForge, startJob } from '../support/forge.ts'
import { tryGit } from '../support/git.ts'

t.test(
  'a token that is cut, mistyped, unknown or revoked opens nothing: 401, so that git forgets it',
  async (t) => {
    const forge = await startForge(t)
    const { work } = await makeRepo(t, forge)
    const job = await startJob(forge, 'hello', 'true')
    const good = await jobToken(forge, 'hello', job.id)
    const flipped = good.at(-10) === 'A' ? 'B' : 'A'
    const answer = await forge.ask('/api/v1/tokens', { body: { label: 'short-lived' } })
    const revoked = answer.read(createdToken)
    t.equal((await forge.ask(`/api/v1/tokens/${revoked.id}`, { method: 'DELETE' })).status, 204)

    const bad: Record<string, string> = {
      cut: good.slice(0, -1),
      longer: `${good}0`,
      mistyped: good.slice(0, -10) + flipped + good.slice(-9),
      'of another kind': good.replace('spb_job_', 'spb_pat_'),
      'in capitals': good.toUpperCase(),
      empty: '',
      'only an id': good.split('_').slice(0, 3).join('_'),
      'somebody’s password': 'hunter2',
      revoked: revoked.token,
    }
    for (const [what, token] of Object.entries(bad)) {
      const basic = Buffer.from(`x:${token}`).toString('base64')
      for (const authorization of [`Bearer ${token}`, `Basic ${basic}`]) {
        const advertised = await forge.ask('/hello.git/info/refs?service=git-receive-pack', {
          token: null,
          headers: { authorization },
        })
        t.equal(advertised.status, 401, `${what}: git, ${authorization.slice(0, 6)}`)
        t.match(advertised.headers['www-authenticate'], /^Basic realm=/)
        t.match(advertised.headers['content-type'], /^text\/plain/)
        const api = await forge.ask('/api/v1/tokens', { token: null, headers: { authorization } })
        t.equal(api.status, 401, `${what}: API, ${authorization.slice(0, 6)}`)
      }
      const read = await forge.ask('/hello.git/info/refs?service=git-upload-pack', { token })
      t.equal(read.status, 401, `${what}: not even for reading, which needs none`)
    }
    const pushed = await tryGit(['push', forge.remote('hello', revoked.token), 'HEAD:refs/heads/x'], {
      cwd: work,
      ca: forge.caFile,
    })
    t.not(pushed.code, 0)
  },
)

t.test('a job’s token ends when it says, two hours at most', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const scope = (ms: number) => ({
    label: 'test',
    scope: {
      repo: 'hello',
      refs: `refs/agents/${job.id}/*`,
      expires: new Date(Date.now() + ms).toISOString(),
    },
  })
  t.equal((await forge.ask('/api/v1/tokens', { body: scope(3 * 3_600_000) })).status, 400)
  t.equal((await forge.ask('/api/v1/tokens', { body: scope(-1000) })).status, 400)

  const expires = Date.now() + 300
  const answer = await forge.ask('/api/v1/tokens', { body: scope(300) })
  const { token } = answer.read(createdToken)
  const advertise = () => forge.ask('/hello.git/info/refs?service=git-receive-pack', { token })
  let status = (await advertise()).status
  while (Date.now() <= expires) status = (await advertise()).status
  t.equal((await advertise()).status, 401, `before: ${status}`)
})

t.test('a job’s token does nothing at the API', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const calls: [string, string][] = [
    ['POST', '/api/v1/repos'],
    ['DELETE', '/api/v1/repos/hello'],
    ['POST', '/api/v1/tokens'],
    ['GET', '/api/v1/tokens'],
    ['DELETE', '/api/v1/tokens/01m8pvtvjnc6nntvvk72hcgdta'],
    ['POST', '/api/v1/repos/hello/agent-jobs'],
    ['GET', '/api/v1/repos/hello/agent-jobs'],
    ['GET', `/api/v1/repos/hello/agent-jobs/${job.id}`],
    ['GET', `/api/v1/repos/hello/agent-jobs/${job.id}/events`],
    ['POST', `/api/v1/repos/hello/agent-jobs/${job.id}/cancel`],
    ['POST', `/api/v1/repos/hello/agent-jobs/${job.id}/approve`],
    ['POST', `/api/v1/repos/hello/agent-jobs/${job.id}/reject`],
    ['DELETE', `/api/v1/repos/hello/agent-jobs/${job.id}/refs`],
    ['GET', '/api/v1/agent-jobs'],
    ['GET', '/api/v1/me'],
  ]
  for (const [method, path] of calls) {
    const answer = await forge.ask(path, { method, token, ...(method === 'POST' ? { body: {} } : {}) })
    t.equal(answer.status, 403, `${method} ${path}`)
    t.match(answer.text, /"code":"forbidden"/)
  }
})
