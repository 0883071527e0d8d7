import { spawnSync } from 'node:child_process'
import t from 'tap'
import { createdAgentJob } from '../../../server/protocol/api.ts'
import { makeRepo } from '../../support/forge.ts'
import { tempFolder } from '../../support/temp.ts'
import { signIn } from './support/signed-in.ts'

t.test(
  'a job is opened, an agent elsewhere follows what was printed, and the proposal is approved',
  async (t) => {
    const { forge, spbgit } = await signIn(t)
    await makeRepo(t, forge)
    const opened = await spbgit('agent', 'open', 'hello', 'Say hello in French')
    t.equal(opened.code, 0, opened.stderr)
    const [token = '', clone = '', ...rest] = opened.stdout.trim().split('\n')
    t.match(token, /^export JOB_TOKEN=spb_job_\w+$/)
    t.match((await spbgit('agent', 'show', 'hello', '1')).stdout, /^state +open$/m)

    const agent = spawnSync(
      'sh',
      ['-e', '-c', [token, clone, 'echo bonjour > bonjour', ...rest].join('\n')],
      {
        cwd: tempFolder(t),
        encoding: 'utf8',
        env: {
          PATH: process.env['PATH'],
          HOME: '/nonexistent',
          GIT_SSL_CAINFO: forge.caFile,
          GIT_AUTHOR_NAME: 'Agent',
          GIT_AUTHOR_EMAIL: 'agent@example.org',
          GIT_COMMITTER_NAME: 'Agent',
          GIT_COMMITTER_EMAIL: 'agent@example.org',
        },
      },
    )
    t.equal(agent.status, 0, agent.stderr)
    const shown = await spbgit('agent', 'show', 'hello', '1')
    t.match(shown.stdout, /^state +proposed$/m)
    t.match(shown.stdout, /test command did not run \(An agent elsewhere made this proposal/)
    t.equal((await spbgit('agent', 'approve', 'hello', '1', '--branch', 'bonjour', '--yes')).code, 0)
  },
)

t.test('the whole job comes as JSON', async (t) => {
  const { forge, spbgit } = await signIn(t)
  await makeRepo(t, forge)
  const opened = await spbgit('agent', 'open', 'hello', 'Say hello', '--base', 'main', '--json')
  const job = createdAgentJob.parse(JSON.parse(opened.stdout))
  t.match(job, { state: 'open', agent: { kind: 'external' }, base: { ref: 'refs/heads/main' } })
  t.match(job.access?.token, /^spb_job_/)
})
