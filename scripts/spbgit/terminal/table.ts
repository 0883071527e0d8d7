/** Rows under headings, in columns. */
import { cleanLine } from './clean.ts'
import { fit, width } from './width.ts'

const gap = 2
/** The last column is not cut below this, however narrow the terminal is. */
const leastLast = 16

/** The lines of a table. The last column takes what is left of `columns`; null: nothing is cut. */
export const table = (
  headings: readonly string[],
  rows: readonly (readonly string[])[],
  columns: number | null,
): string[] => {
  const cells = [headings, ...rows].map((row) => row.map(cleanLine))
  const last = headings.length - 1
  const widths = headings.slice(0, last).map((_, at) => Math.max(...cells.map((row) => width(row[at] ?? ''))))
  const before = widths.reduce((sum, each) => sum + each + gap, 0)
  const room = columns === null ? Number.POSITIVE_INFINITY : Math.max(leastLast, columns - before)
  return cells.map((row) => {
    const fixed = widths.map((each, at) => {
      const cell = row[at] ?? ''
      return cell + ' '.repeat(each - width(cell) + gap)
    })
    return (fixed.join('') + fit(row[last] ?? '', room)).trimEnd()
  })
}
