import t from 'tap'
import { type JobEvent, runnerPath, runnerStatus } from '../../../server/protocol/runner.ts'
import { needsEngine, sandboxImage } from '../../support/engine.ts'
import { serveOrigin } from '../../support/origin.ts'
import { endOf, specOf, startTestRunner } from '../../support/runner.ts'

const files = { 'greeting.txt': 'hello\n' }

t.test('every request needs the secret, and healthz none', needsEngine, async (t) => {
  const runner = await startTestRunner(t)
  t.equal((await runner.ask('/healthz', { authorization: '' })).status, 200)
  for (const authorization of ['', 'Bearer ', 'Bearer wrong', 'Basic YTph']) {
    const answer = await runner.ask(runnerPath.status, { authorization })
    t.equal(answer.status, 401)
    t.match(await answer.json(), { error: { code: 'bad-secret' } })
  }
  t.equal((await runner.ask('/nowhere', { authorization: '' })).status, 401, 'also where there is nothing')
  t.match(await (await runner.ask('/nowhere')).json(), { error: { code: 'not-found' } })
})

t.test('the status tells the image, the engine and what is at work', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'sleep 100')
  const status = async () => runnerStatus.parse(await (await runner.ask(runnerPath.status)).json())
  t.match(await status(), { sandboxImage: sandboxImage(), active: [] })
  await runner.begin(spec)
  t.same((await status()).active, [{ job: spec.job, attempt: 1 }])
})

t.test('an attempt is taken once, and forgotten when its end is acknowledged', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'true')
  const url = runnerPath.attempt(spec.job, spec.attempt)
  const put = async (body: unknown) => (await runner.ask(url, { method: 'PUT', body })).status
  t.equal(await put(spec), 201)
  t.equal(await put(spec), 200)
  t.equal(await put({ ...spec, agent: { kind: 'command', task: 'false' } }), 409)
  t.match(await (await runner.ask(url, { method: 'DELETE' })).json(), { error: { code: 'attempt-active' } })

  const events: JobEvent[] = []
  for await (const event of runner.follow(spec)) events.push(event)
  t.equal(endOf(events).outcome, 'no-change')
  const again: JobEvent[] = []
  for await (const event of runner.follow(spec, 3)) again.push(event)
  t.same(again, events.slice(3), 'events are there until they are acknowledged')
  t.equal(await put(spec), 200)

  t.equal((await runner.ask(url, { method: 'DELETE' })).status, 204)
  t.equal((await runner.ask(url, { method: 'DELETE' })).status, 204)
  const gone = await runner.ask(runnerPath.events(spec.job, spec.attempt, 0))
  t.match(await gone.json(), { error: { code: 'unknown-attempt' } })
})

t.test('what is not a specification is refused', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'true')
  const put = (url: string, body: unknown) => runner.ask(url, { method: 'PUT', body })
  const url = runnerPath.attempt(spec.job, spec.attempt)
  t.equal((await put(url, '{')).status, 400)
  t.equal((await put(url, 'null')).status, 400)
  t.equal((await put(url, { ...spec, repo: '../etc' })).status, 400)
  t.equal((await put(url, { ...spec, limits: { ...spec.limits, wallMs: -1 } })).status, 400)
  t.equal((await put(url, { ...spec, agent: { kind: 'command', task: 'x'.repeat(2_000_000) } })).status, 413)
  t.equal((await put(runnerPath.attempt(spec.job, 2 as never), spec)).status, 400)
  for (const path of ['/v1/jobs/0/1', '/v1/jobs/1/01', '/v1/jobs/-1/1', '/v1/jobs/1/99999999'])
    t.equal((await put(path, spec)).status, 400, path)
  t.same(runnerStatus.parse(await (await runner.ask(runnerPath.status)).json()).active, [])
})

t.test('an attempt that nobody began has no events, token, cancel or patch', needsEngine, async (t) => {
  const runner = await startTestRunner(t)
  const [job, attempt] = [9 as never, 1 as never]
  const answers = await Promise.all([
    runner.ask(runnerPath.events(job, attempt, 0)),
    runner.ask(runnerPath.token(job, attempt), { method: 'PUT', body: { token: 'x' } }),
    runner.ask(runnerPath.cancel(job, attempt), { method: 'POST' }),
    runner.ask(runnerPath.salvaged(job, attempt)),
  ])
  t.same(
    answers.map(({ status }) => status),
    [404, 404, 404, 404],
  )
})
