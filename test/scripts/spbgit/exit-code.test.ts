import t from 'tap'
import { exitCodeOf } from '../../../scripts/spbgit/exit-code.ts'
import { isActive, jobState } from '../../../server/protocol/jobs.ts'

t.test('each way to end has the code that the documentation promises', async (t) => {
  t.strictSame(Object.fromEntries(jobState.options.map((state) => [state, exitCodeOf(state)])), {
    open: null,
    queued: null,
    starting: null,
    running: null,
    verifying: null,
    proposed: 0,
    approved: 0,
    rejected: 0,
    'no-change': 3,
    failed: 1,
    cancelled: 4,
  })
})

t.test('a job has an exit code exactly when it is not at work', async (t) => {
  for (const state of jobState.options) t.equal(exitCodeOf(state) === null, isActive(state), state)
})
