import { Parser, type Result } from 'tap-parser'
import { formatFailure } from './format-failure.ts'
import { add, nothing, oneFailed, onePassed, oneSkipped, type Tally } from './tally.ts'

/** A test file that has ended. */
export type FileReport = {
  readonly file: string
  readonly tally: Tally
  readonly ms: number | null
  readonly skipReasons: readonly string[]
  /** One readable text a failure, and what the file printed besides. Empty where nothing failed. */
  readonly failures: readonly string[]
}

type Collected = { tally: Tally; skipReasons: Set<string>; failures: string[]; printed: string[] }

const printedMax = 200

/**
 * A writable stream for the TAP of a whole run, in which each file is a subtest; `onFile` hears of each at
 * its end. What stands between the files, as the coverage does, goes to `onText` line by line.
 */
export const readTap = (onFile: (report: FileReport) => void, onText: (line: string) => void): Parser => {
  const root = new Parser()
  let collected = empty()
  root.on('child', (file: Parser) => {
    collected = empty()
    collect(file, [], collected)
  })
  root.on('assert', (point: Result) => {
    close(point, [point.name], nothing, collected)
    const { tally, skipReasons, failures, printed } = collected
    if (failures.length > 0 && printed.length > 0) failures.push(`printed:\n${printed.join('')}`)
    onFile({ file: point.name, tally, ms: point.time, skipReasons: [...skipReasons], failures })
    collected = empty()
  })
  root.on('extra', (text: string) => {
    if (text.startsWith(' ')) keep(text, collected)
    else onText(text)
  })
  root.on('bailout', (reason: unknown) => {
    onFile({ file: 'bail out', tally: oneFailed, ms: null, skipReasons: [], failures: [String(reason)] })
  })
  return root
}

const empty = (): Collected => ({ tally: nothing, skipReasons: new Set(), failures: [], printed: [] })

const collect = (parser: Parser, path: readonly string[], into: Collected): void => {
  let before = into.tally
  parser.on('child', (child: Parser) => {
    before = into.tally
    collect(child, [...path, child.name], into)
  })
  parser.on('assert', (point: Result) => {
    close(point, [...path, point.name], point.closingTestPoint ? before : null, into)
  })
}

const keep = (text: string, { printed }: Collected): void => {
  printed.push(text)
  if (printed.length > printedMax) printed.shift()
}

/**
 * Counts a point. `before` is the tally at the start of the subtest that it closes, null where it closes
 * none: a closing point counts only for what its parts do not tell, such as a crash or a skipped whole.
 */
const close = (point: Result, path: readonly string[], before: Tally | null, into: Collected): void => {
  const { tally } = into
  if (point.skip !== false || point.todo !== false) {
    into.tally = add(tally, oneSkipped)
    const reason = typeof point.skip === 'string' ? point.skip : point.todo
    if (typeof reason === 'string') into.skipReasons.add(reason)
  } else if (!point.ok && (before === null || tally.failed === before.failed)) {
    into.tally = add(tally, oneFailed)
    into.failures.push(formatFailure(path, point.diag))
  } else if (point.ok && before === null) {
    into.tally = add(tally, onePassed)
  }
}
