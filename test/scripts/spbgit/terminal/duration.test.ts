import t from 'tap'
import { duration } from '../../../../scripts/spbgit/terminal/duration.ts'

t.test('a duration reads as a person says it, and is never rounded up', async (t) => {
  t.strictSame([0, 449, 9_999, 10_000, 59_999, 60_000, 65_000, 3_599_999, 3_720_000].map(duration), [
    '0.0 s',
    '0.4 s',
    '9.9 s',
    '10 s',
    '59 s',
    '1 min 00 s',
    '1 min 05 s',
    '59 min 59 s',
    '1 h 02 min',
  ])
})
