import { spawn } from 'node:child_process'
import { once } from 'node:events'
import t from 'tap'
import { agentJob, listOf, token } from '../../server/protocol/api.ts'
import { needsEngine } from '../support/engine.ts'
import { makeRepo, type RunningForge, startForge, startJob } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { followToEnd, untilTold } from '../support/job-events.ts'
import { startRunnerProcess } from '../support/runner-process.ts'

const workspaceFile = JSON.stringify({
  test: 'true',
  limits: { memoryBytes: 512 * 1024 * 1024, diskBytes: 128 * 1024 * 1024, cpus: 1 },
})
const files = { 'README.md': '# hello\n', '.agent-workspace.json': workspaceFile }

const liveTokens = async (forge: RunningForge): Promise<number> =>
  (await forge.ask('/api/v1/tokens'))
    .read(listOf(token))
    .items.filter(({ kind, revokedAt }) => kind === 'job' && revokedAt === null).length

/** What of these containers the engine still has. */
const left = async (ids: readonly string[]): Promise<string> => {
  const child = spawn('docker', ['ps', '-aq', '--no-trunc'])
  let out = ''
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
  await once(child, 'close')
  return ids.filter((id) => out.includes(id)).join(' ')
}

t.test('a runner that is killed in the middle of a job leaves nothing behind', needsEngine, async (t) => {
  const runner = await startRunnerProcess(t)
  const forge = await startForge(t, { ...runner.forForge })
  await makeRepo(t, forge, 'hello', files)
  const job = await startJob(forge, 'hello', 'echo begun; sleep 300')
  await untilTold(forge, 'hello', job.id, (told) => told.type === 'job' && told.event.type === 'log')
  await runner.kill('SIGKILL')
  await runner.start()
  await followToEnd(forge, 'hello', job.id)
  const shown = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}`)).read(agentJob)
  t.match(shown, { state: 'failed', reason: 'runner-lost' })
  t.equal(await liveTokens(forge), 0, 'no live token')
  const containers = shown.attempts[0]?.containers.map(({ id }) => id) ?? []
  t.ok(containers.length > 0)
  t.equal(await left(containers), '', 'no container')

  const next = await startJob(forge, 'hello', 'echo again > again.txt')
  await followToEnd(forge, 'hello', next.id)
  const again = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${next.id}`)).read(agentJob)
  t.equal(again.state, 'proposed', 'and the next job runs')
})

t.test('a forge that is killed during a job has its result when it is back', needsEngine, async (t) => {
  const runner = await startRunnerProcess(t)
  const forge = await startForge(t, { ...runner.forForge })
  const { work } = await makeRepo(t, forge, 'hello', files)
  const job = await startJob(forge, 'hello', 'echo begun; sleep 2; echo done > done.txt')
  await untilTold(forge, 'hello', job.id, (told) => told.type === 'job' && told.event.type === 'log')
  await forge.kill('SIGKILL')
  await forge.start()
  await followToEnd(forge, 'hello', job.id)
  const shown = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}`)).read(agentJob)
  t.equal(shown.state, 'proposed')
  const remote = await git(['ls-remote', forge.remote('hello'), `refs/agents/${job.id}/proposal`], {
    cwd: work,
    ca: forge.caFile,
  })
  t.match(remote, shown.proposal?.commit ?? 'a proposal')
  t.equal(await liveTokens(forge), 0)
})

t.test(
  'a forge that is away while the courier pushes has the proposal when it is back',
  needsEngine,
  async (t) => {
    const runner = await startRunnerProcess(t)
    const forge = await startForge(t, { ...runner.forForge })
    await makeRepo(t, forge, 'hello', files)
    const job = await startJob(forge, 'hello', 'echo done > done.txt')
    await untilTold(forge, 'hello', job.id, (told) => told.type === 'job' && told.event.type === 'collected')
    await forge.kill('SIGKILL')
    await forge.start()
    await followToEnd(forge, 'hello', job.id)
    const shown = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}`)).read(agentJob)
    t.equal(shown.state, 'proposed')
    t.equal(await liveTokens(forge), 0)
  },
)
