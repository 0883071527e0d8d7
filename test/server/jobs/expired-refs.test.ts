import t from 'tap'
import { isExpired } from '../../../server/jobs/expired-refs.ts'
import type { AgentJob } from '../../../server/protocol/api.ts'
import { toIso } from '../../../server/protocol/ids.ts'
import { attemptOf, jobOf } from '../../views/samples.ts'

const day = 24 * 60 * 60_000
const now = Date.parse('2026-06-01T00:00:00.000Z')

const endedDaysAgo = (state: AgentJob['state'], days: number): AgentJob =>
  jobOf(state, { decision: null, attempts: [attemptOf(state, { endedAt: toIso(now - days * day) })] })

t.test('only a job that is over for a quarter of a year is expired', async (t) => {
  t.equal(isExpired(endedDaysAgo('failed', 91), now), true)
  t.equal(isExpired(endedDaysAgo('failed', 89), now), false)
  t.equal(isExpired(endedDaysAgo('cancelled', 400), now), true)
  t.equal(isExpired(endedDaysAgo('proposed', 400), now), false, 'a proposal waits for its decision')
  t.equal(isExpired(endedDaysAgo('running', 400), now), false)
})
