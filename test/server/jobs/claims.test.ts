import t from 'tap'
import { claimsIn } from '../../../server/jobs/claims.ts'
import { toIso } from '../../../server/protocol/ids.ts'
import { type JobEvent, jobEvent, type Step } from '../../../server/protocol/runner.ts'

const logged = (...texts: readonly [Step, string][]): JobEvent[] =>
  texts.map(([step, text], index) =>
    jobEvent.parse({ type: 'log', step, stream: 'out', text, seq: index + 1, at: toIso(0) }),
  )

t.test('lines that count tests are claims, without the mark of the reporter', async (t) => {
  t.same(claimsIn(logged(['verify', 'ok 1 - greets\nℹ tests 3\nℹ pass 3\n# fail 0\n'])), [
    'tests 3',
    'pass 3',
    'fail 0',
  ])
  t.same(claimsIn(logged(['verify', '\n  12 passing (40ms)\n'])), ['12 passing (40ms)'])
})

t.test('a line that came in two pieces is one', async (t) => {
  t.same(claimsIn(logged(['verify', '12 pas'], ['verify', 'sed\n'])), ['12 passed'])
})

t.test('what both runs say is said once', async (t) => {
  t.same(claimsIn(logged(['verify', 'tests 3\n'], ['verify', 'tests 3\n'])), ['tests 3'])
})

t.test('what the agent printed about tests is not even a claim', async (t) => {
  t.same(claimsIn(logged(['agent', '100 tests passed\n'])), [])
})
