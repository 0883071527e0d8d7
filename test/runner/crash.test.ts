import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { z } from 'zod'
import type { JobEvent } from '../../server/protocol/runner.ts'
import { needsEngine } from '../support/engine.ts'
import { serveOrigin } from '../support/origin.ts'
import {
  askRunner,
  endOf,
  listLeft,
  type RunnerUnderTest,
  runnerEnvironment,
  specOf,
  startTestRunner,
} from '../support/runner.ts'
import { tempFolder } from '../support/temp.ts'

const program = fileURLToPath(new URL('../../runner/main.ts', import.meta.url))
const listening = z.object({ port: z.int() })

/** A runner as a process of its own, as `npm run runner` starts it. */
const spawnRunner = async (
  t: Test,
  dataDir: string,
): Promise<{ child: ChildProcess; runner: RunnerUnderTest }> => {
  const env = { PATH: process.env['PATH'], ...runnerEnvironment(dataDir) }
  const child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  t.teardown(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill()
    await once(child, 'exit')
  })
  const lines = createInterface({ input: child.stdout })
  const [line] = z.tuple([z.string()]).parse(await once(lines, 'line'))
  const { port } = listening.parse(JSON.parse(line))
  return { child, runner: askRunner(`http://127.0.0.1:${port}`, dataDir) }
}

const until = async (events: AsyncGenerator<JobEvent>, found: (event: JobEvent) => boolean) => {
  for await (const event of events) if (found(event)) return event
  throw new Error('the events ended before that')
}

t.test(
  'a runner that was killed in the middle of a job ends it when it comes back',
  needsEngine,
  async (t) => {
    const origin = await serveOrigin(t, { 'greeting.txt': 'hello\n' })
    const dataDir = tempFolder(t)
    const spec = specOf(origin, 'echo working; sleep 100')
    const { child, runner } = await spawnRunner(t, dataDir)
    await runner.begin(spec)
    const last = await until(runner.follow(spec), ({ type }) => type === 'log')
    child.kill('SIGKILL')
    await once(child, 'exit')
    t.equal((await listLeft(runner)).length, 3, 'two containers and a volume are left by it')

    const { runner: again } = await spawnRunner(t, dataDir)
    t.same(await listLeft(again), [])
    const events: JobEvent[] = []
    for await (const event of again.follow(spec, last.seq)) events.push(event)
    t.match(endOf(events), { outcome: 'failed', reason: 'runner-lost' })
    t.equal(events.filter(({ type }) => type === 'ended').length, 1)
  },
)

t.test('two runners cannot have one data folder', needsEngine, async (t) => {
  const { dataDir } = await startTestRunner(t)
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], ...runnerEnvironment(dataDir) },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await once(child, 'close')
  t.equal(child.exitCode, 1)
  t.match(said, /Another runner uses this DATA_DIR/)
})

t.test('another runner on the same engine is left alone', needsEngine, async (t) => {
  const origin = await serveOrigin(t, { 'greeting.txt': 'hello\n' })
  const first = await startTestRunner(t)
  const spec = specOf(origin, 'echo working; sleep 100')
  await first.begin(spec)
  await until(first.follow(spec), ({ type }) => type === 'log')
  await startTestRunner(t)
  t.equal((await listLeft(first)).length, 3)
})

t.test('a runner that is asked to stop ends its attempts and leaves nothing', needsEngine, async (t) => {
  const origin = await serveOrigin(t, { 'greeting.txt': 'hello\n' })
  const { child, runner } = await spawnRunner(t, tempFolder(t))
  const spec = specOf(origin, 'echo working; sleep 100')
  await runner.begin(spec)
  const events: JobEvent[] = []
  for await (const event of runner.follow(spec)) {
    events.push(event)
    if (event.type === 'log') child.kill('SIGTERM')
  }
  t.match(endOf(events), { outcome: 'failed', reason: 'runner-lost' })
  if (child.exitCode === null) await once(child, 'exit')
  t.equal(child.exitCode, 0)
  t.same(await listLeft(runner), [])
})

t.test('a bad configuration is one message and exit code 1', needsEngine, async (t) => {
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], LISTEN: 'nowhere' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await once(child, 'close')
  t.equal(child.exitCode, 1)
  t.match(said, /^The configuration cannot be used:\n {2}LISTEN: .*\n {2}WORKSPACE_CONTROLLER_SECRET: .*\n$/)
})
