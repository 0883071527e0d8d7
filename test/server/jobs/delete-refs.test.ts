import t from 'tap'
import { agentJob, apiError } from '../../../server/protocol/api.ts'
import { needsEngine } from '../../support/engine.ts'
import { makeRepo, startForge, startJob } from '../../support/forge.ts'
import { followToEnd } from '../../support/job-events.ts'
import { secret, startTestRunner } from '../../support/runner.ts'

t.test('a proposal whose refs are deleted is gone for everybody', needsEngine, async (t) => {
  const runner = await startTestRunner(t)
  const forge = await startForge(t, {
    WORKSPACE_CONTROLLER_URL: runner.url,
    WORKSPACE_CONTROLLER_SECRET: secret,
    LOCAL_RUNNER: 'for-trying-out',
  })
  await makeRepo(t, forge)
  const { id } = await startJob(forge, 'hello', 'echo a secret by mistake > README.md')
  await followToEnd(forge, 'hello', id)
  const api = `/api/v1/repos/hello/agent-jobs/${id}`
  const commit = (await forge.ask(api)).read(agentJob).proposal?.commit
  const page = `/repos/hello/jobs/${id}`
  t.match((await forge.ask(page, { token: null })).text, 'a secret by mistake')

  t.equal((await forge.ask(`${api}/refs`, { method: 'DELETE' })).status, 204)
  t.notMatch((await forge.ask(page, { token: null })).text, 'a secret by mistake')

  const refused = await forge.ask(`${api}/approve`, { body: { commit, branch: 'late', old: null } })
  t.equal(refused.status, 409)
  t.match(refused.read(apiError).error.message, 'The refs of job')
})
