/** How many test points ended how. A point that only closes a subtest is not counted beside its parts. */
export type Tally = { readonly passed: number; readonly failed: number; readonly skipped: number }

export const nothing: Tally = { passed: 0, failed: 0, skipped: 0 }
export const onePassed: Tally = { ...nothing, passed: 1 }
export const oneFailed: Tally = { ...nothing, failed: 1 }
export const oneSkipped: Tally = { ...nothing, skipped: 1 }

export const add = (...tallies: readonly Tally[]): Tally => {
  const sum = (key: keyof Tally) => tallies.reduce((total, each) => total + each[key], 0)
  return { passed: sum('passed'), failed: sum('failed'), skipped: sum('skipped') }
}

export const formatTally = ({ passed, failed, skipped }: Tally): string =>
  `${passed} passed, ${failed} failed, ${skipped} skipped`
