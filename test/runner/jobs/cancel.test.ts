import t from 'tap'
import { type JobEvent, runnerPath } from '../../../server/protocol/runner.ts'
import { needsEngine } from '../../support/engine.ts'
import { serveOrigin } from '../../support/origin.ts'
import { endOf, listLeft, specOf, startTestRunner } from '../../support/runner.ts'

const begins = (step: string) => (event: JobEvent) =>
  event.type === 'step' && event.step === step && event.status === 'started'

/** Where an attempt can be cancelled, by the event after which it is. */
const moments: Record<string, (event: JobEvent) => boolean> = {
  'when its first container is made': ({ type }) => type === 'container',
  'while it clones': begins('clone'),
  'while setup runs': begins('setup'),
  'while the agent runs': ({ type }) => type === 'log',
  'while it collects': begins('collect'),
  'while it waits for a token': ({ type }) => type === 'collected',
  'while it verifies': begins('verify'),
}

for (const [moment, arrives] of Object.entries(moments))
  t.test(`an attempt is cancelled ${moment}`, needsEngine, async (t) => {
    const origin = await serveOrigin(t, { 'greeting.txt': 'hello\n' }, { token: 'right' })
    const runner = await startTestRunner(t)
    const spec = specOf(origin, 'echo changed > greeting.txt; echo working; sleep 2', {
      setup: 'true',
      test: { command: 'sleep 50', paths: [] },
    })
    await runner.begin(spec)
    const events: JobEvent[] = []
    let asked = false
    for await (const event of runner.follow(spec)) {
      events.push(event)
      if (event.type === 'collected' && moment !== 'while it waits for a token')
        await runner.giveToken(spec, 'right')
      if (asked || !arrives(event)) continue
      asked = true
      const answer = await runner.ask(runnerPath.cancel(spec.job, spec.attempt), { method: 'POST' })
      t.equal(answer.status, 202)
    }
    t.ok(asked)
    t.match(endOf(events), { outcome: 'cancelled', reason: 'cancelled' })
    t.same(await listLeft(runner), [])
  })
