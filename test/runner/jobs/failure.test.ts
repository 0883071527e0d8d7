import t from 'tap'
import type { AttemptSpec } from '../../../server/protocol/runner.ts'
import { runnerPath } from '../../../server/protocol/runner.ts'
import { deriveImage, testEngine } from '../../support/container.ts'
import { needsEngine } from '../../support/engine.ts'
import { serveOrigin } from '../../support/origin.ts'
import {
  absentImage,
  endOf,
  listLeft,
  logOf,
  type RunnerUnderTest,
  smallLimits,
  specOf,
  startTestRunner,
} from '../../support/runner.ts'

const files = { 'greeting.txt': 'hello\n' }

const salvagedBy = async (runner: RunnerUnderTest, { job, attempt }: AttemptSpec): Promise<string> => {
  const answer = await runner.ask(runnerPath.salvaged(job, attempt))
  return answer.ok ? await answer.text() : `${answer.status}`
}

t.test('an agent that ends with an error leaves its patch', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'echo changed > greeting.txt; echo why >&2; exit 1')
  const events = await runner.run(spec)
  t.match(endOf(events), { outcome: 'failed', reason: 'agent-error' })
  t.match(events.find(({ type }) => type === 'salvaged')?.type, 'salvaged')
  t.match(await salvagedBy(runner, spec), /^-hello\n\+changed$/m)
  t.match(logOf(events), /why\n/)
  t.match(logOf(events), /The agent ended with 1\./)
  const ends = events.flatMap((event) =>
    event.type === 'step' && event.status === 'ended' ? [[event.step, event.exit]] : [],
  )
  t.same(
    ends,
    [
      ['clone', 0],
      ['agent', 1],
      ['collect', 0],
    ],
    'reading what it left went well',
  )
  t.same(await listLeft(runner), [])
})

t.test('an agent that fails without a change leaves no patch', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'exit 1')
  const events = await runner.run(spec)
  t.match(endOf(events), { outcome: 'failed', reason: 'agent-error' })
  t.equal(await salvagedBy(runner, spec), '404')
})

t.test(
  'an agent that runs past its limit is ended, and its work is kept as a patch',
  needsEngine,
  async (t) => {
    const origin = await serveOrigin(t, files)
    const runner = await startTestRunner(t)
    const spec = specOf(origin, 'echo changed > greeting.txt; sleep 100', {
      limits: { ...smallLimits, wallMs: 5000 },
    })
    const events = await runner.run(spec)
    t.match(endOf(events), { outcome: 'failed', reason: 'timeout' })
    t.match(await salvagedBy(runner, spec), /^\+changed$/m)
    t.same(await listLeft(runner), [])
  },
)

t.test('the first want of memory ends the sandbox', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const hog = 'python3 -c "bytearray(600000000)"'
  const spec = specOf(origin, `echo changed > greeting.txt; ${hog} || sleep 100`)
  const events = await runner.run(spec)
  t.match(endOf(events), { outcome: 'failed', reason: 'out-of-memory' })
  t.match(await salvagedBy(runner, spec), /^\+changed$/m)
})

t.test('a disk that is full is told apart from other errors', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'echo changed > greeting.txt; cat /dev/zero > ../zeros')
  const events = await runner.run(spec)
  t.match(endOf(events), { outcome: 'failed', reason: 'disk-full' })
  t.ok(endOf(events).used.diskBytes >= smallLimits.diskBytes)
  t.match(await salvagedBy(runner, spec), /^\+changed$/m)
})

t.test('a sandbox at its limit of processes is told apart from other errors', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, 'while :; do sleep 60 & done'))
  t.match(endOf(events), { outcome: 'failed', reason: 'too-many-processes' })
})

t.test('a setup that fails is the end', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, 'echo never', { setup: 'echo broken; exit 9' }))
  t.match(endOf(events), { outcome: 'failed', reason: 'setup-failed' })
  t.match(logOf(events), /broken/)
  t.notMatch(logOf(events), /never/)
})

t.test('an image that is not there, not allowed or has a VOLUME runs nothing', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const engine = testEngine()
  const volatile = await deriveImage(t, engine, ['VOLUME /data'])
  const own = await deriveImage(t, engine, ['LABEL own=1'])
  const runner = await startTestRunner(t, { RUNNER_IMAGES: `${absentImage},${volatile}` })
  const endWith = async (image: AttemptSpec['image']) => {
    const events = await runner.run(specOf(origin, 'echo never', { image }))
    t.notOk(events.some(({ type }) => type === 'container'))
    return endOf(events).reason
  }
  t.equal(await endWith(absentImage), 'image-missing')
  t.equal(await endWith(volatile), 'image-refused')
  t.equal(await endWith(own), 'image-refused')
})

t.test('an image that the owner allows runs the agent, and no other container', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const image = await deriveImage(t, testEngine(), ['ENV FROM_IMAGE=1'])
  const runner = await startTestRunner(t, { RUNNER_IMAGES: image })
  const spec = specOf(origin, 'env > env.txt', { image, test: { command: 'true', paths: [] } })
  const events = await runner.run(spec, 'right')
  t.equal(endOf(events).outcome, 'proposed')
  const byPurpose = new Map(
    events.flatMap((event) => (event.type === 'container' ? [[event.purpose, event.image === image]] : [])),
  )
  t.same(Object.fromEntries(byPurpose), { collect: false, agent: true, courier: false, verify: true })
})
