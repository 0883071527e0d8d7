import t from 'tap'
import { toIso } from '../../server/protocol/ids.ts'
import { duration } from '../../views/browser/duration.js'
import { ago, count, size } from '../../views/measure.ts'

t.test('durations are said in the units that fit', async (t) => {
  t.same([0, 999, 1000, 59_999, 60_000, 3_599_999, 7_800_000].map(duration), [
    '0 ms',
    '999 ms',
    '1.0 s',
    '59.9 s',
    '1 min 0 s',
    '59 min 59 s',
    '2 h 10 min',
  ])
})

t.test('sizes are said in binary units', async (t) => {
  t.same([0, 1023, 1024, 10 * 1024 ** 2, 1.5 * 1024 ** 3].map(size), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '10 MiB',
    '1.5 GiB',
  ])
})

t.test('ages are said in whole units, and a clock that is ahead is now', async (t) => {
  const now = Date.parse('2026-01-31T12:00:00.000Z')
  const said = (ms: number): string | undefined => ago(toIso(now - ms), now).match(/>(.*)</)?.[1]
  t.same([-5000, 59_000, 60_000, 7_200_000, 172_800_000].map(said), [
    'just now',
    'just now',
    '1 minute ago',
    '2 hours ago',
    '2 days ago',
  ])
})

t.test('one thing is not many', async (t) => {
  t.same([count(1, 'file'), count(1200, 'file')], ['1 file', '1,200 files'])
})
