import t from 'tap'
import { describeEnd, isVerified } from '../../../scripts/demo/job.ts'
import { agentJob } from '../../../server/protocol/api.ts'

const at = '2026-01-01T00:00:00.000Z'
const commit = 'a'.repeat(40)
const passed = { against: 'proposal', result: 'passed', why: null, exit: 0, ms: 1 }
const failed = { ...passed, result: 'failed', exit: 1 }

function job(state: string, tests: readonly object[], proposed = true) {
  const attempt = { number: 1, state, reason: null, startedAt: at, endedAt: at, image: null, containers: [] }
  const proposal = { attempt: 1, commit, ref: 'refs/agents/1/proposal', revision: 'refs/agents/1/r1' }
  return agentJob.parse({
    id: 1,
    repo: 'hello',
    agent: { kind: 'command', task: 'true' },
    task: 'true',
    state,
    reason: state === 'failed' ? 'clone-failed' : null,
    base: { ref: 'refs/heads/main', commit },
    requester: '0'.repeat(26),
    createdAt: at,
    attempts: [{ ...attempt, tests, used: null, salvagedBytes: null }],
    proposal: proposed ? proposal : null,
    decision: null,
    url: 'https://localhost:8443/repos/hello/jobs/1',
  })
}

t.test('only a proposal whose own tests passed is verified', async (t) => {
  t.ok(isVerified(job('proposed', [passed])))
  t.notOk(isVerified(job('proposed', [failed])))
  t.notOk(isVerified(job('proposed', [])), 'tests that did not run')
  t.notOk(isVerified(job('proposed', [{ ...passed, against: 'base-tests' }])), 'only the base’s tests')
  t.notOk(isVerified(job('failed', [passed])), 'a job that failed')
  t.notOk(isVerified(job('no-change', [passed], false)), 'no proposal')
})

t.test('the end is told in words, with the reason of a failure', async (t) => {
  t.match(describeEnd(job('proposed', [passed])), 'verified tests passed')
  t.match(describeEnd(job('proposed', [failed])), 'did not pass')
  t.match(describeEnd(job('failed', [], false)), /^failed\. .*could not clone/)
  t.equal(describeEnd(job('no-change', [], false)), 'no-change.')
})
