import fc from 'fast-check'
import t from 'tap'
import { nextState } from '../../../server/jobs/next-state.ts'
import { isActive, jobState } from '../../../server/protocol/jobs.ts'
import { type JobEventBody, step } from '../../../server/protocol/runner.ts'
import { commit, done, event, image, used } from './jobs.ts'

const bodies: JobEventBody[] = [
  done,
  { type: 'ended', outcome: 'failed', reason: 'timeout', used },
  { type: 'ended', outcome: 'no-change', reason: null, used },
  { type: 'ended', outcome: 'cancelled', reason: null, used },
  { type: 'container', purpose: 'agent', id: 'x', image },
  ...step.options.map((step): JobEventBody => ({ type: 'step', step, status: 'started' })),
  { type: 'step', step: 'verify', status: 'ended', exit: 0, ms: 1 },
  { type: 'log', step: 'agent', stream: 'out', text: 'x' },
  { type: 'dropped', step: 'agent', bytes: 1 },
  { type: 'egress', host: 'x', port: 1, allowed: false, why: 'x' },
  { type: 'collected', head: commit, commits: 1 },
  { type: 'salvaged', bytes: 1 },
  { type: 'tested', against: 'proposal', result: 'passed', why: null, exit: 0, ms: 1 },
]
const body = fc.constantFrom(...bodies)
const state = fc.constantFrom(...jobState.options)

t.test('what is over stays as it ended, whatever a runner says later', async () => {
  fc.assert(
    fc.property(state, body, fc.boolean(), (state, body, proposed) => {
      const now = { state, reason: null }
      return isActive(state) || nextState(now, event(1, body), proposed) === now
    }),
  )
})

t.test('a runner never decides on a proposal, and proposes none that has not arrived', async () => {
  fc.assert(
    fc.property(state.filter(isActive), body, fc.boolean(), (state, body, proposed) => {
      const { state: next } = nextState({ state, reason: null }, event(1, body), proposed)
      return next !== 'approved' && next !== 'rejected' && (proposed || next !== 'proposed')
    }),
  )
})

t.test('only the runner’s end ends', async () => {
  fc.assert(
    fc.property(state.filter(isActive), body, fc.boolean(), (state, body, proposed) => {
      const next = nextState({ state, reason: null }, event(1, body), proposed)
      return isActive(next.state) === (body.type !== 'ended')
    }),
  )
})

const after = (body: JobEventBody, proposed: boolean) =>
  nextState({ state: 'running', reason: null }, event(1, body), proposed)

t.test('each end is what it says, and what was pushed stays a proposal after a failure', async (t) => {
  t.same(after(done, true), { state: 'proposed', reason: null })
  t.same(after(done, false), { state: 'failed', reason: 'push-refused' })
  const failed: JobEventBody = { type: 'ended', outcome: 'failed', reason: 'timeout', used }
  t.same(after(failed, false), { state: 'failed', reason: 'timeout' })
  t.same(after(failed, true), { state: 'proposed', reason: 'timeout' })
  t.same(after({ type: 'ended', outcome: 'no-change', reason: null, used }, false), {
    state: 'no-change',
    reason: null,
  })
  t.same(after({ type: 'ended', outcome: 'cancelled', reason: null, used }, false), {
    state: 'cancelled',
    reason: 'cancelled',
  })
})

t.test('a step that starts says what is going on', async (t) => {
  t.same(after({ type: 'step', step: 'verify', status: 'started' }, false), {
    state: 'verifying',
    reason: null,
  })
  t.same(after({ type: 'step', step: 'clone', status: 'started' }, false), { state: 'running', reason: null })
})
