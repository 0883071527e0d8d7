import fc from 'fast-check'
import t from 'tap'
import { defaultLimits, type Limits, limits, lowerLimits } from '../../../server/protocol/limits.ts'

const keys = Object.keys(defaultLimits) as (keyof Limits)[]

t.test('a repository lowers its limits and never raises them', async () => {
  const asked = fc.record(
    Object.fromEntries(keys.map((key) => [key, fc.nat({ max: 2 ** 40 })])) as Record<
      keyof Limits,
      fc.Arbitrary<number>
    >,
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(asked, (given) => {
      const lowered = lowerLimits(defaultLimits, given)
      return keys.every(
        (key) => lowered[key] === Math.min(defaultLimits[key], given[key] ?? Number.POSITIVE_INFINITY),
      )
    }),
  )
})

t.test('the forge’s own limits are ones that a runner takes', async (t) => {
  t.same(limits.parse(defaultLimits), defaultLimits)
})

t.test('limits that no container could run under are refused', async (t) => {
  for (const bad of [
    { cpus: 0 },
    { cpus: -1 },
    { memoryBytes: 1 },
    { pids: 1 },
    { wallMs: 0 },
    { wallMs: 1500.5 },
    { diskBytes: Number.NaN },
  ])
    t.notOk(limits.safeParse({ ...defaultLimits, ...bad }).success, JSON.stringify(bad))
})
