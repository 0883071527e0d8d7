import t from 'tap'
import { type FileReport, readTap } from '../../../scripts/testing/read-tap.ts'

function read(tap: string): FileReport[] {
  const reports: FileReport[] = []
  readTap(
    (report) => reports.push(report),
    () => {},
  ).end(`TAP version 14\n${tap}`)
  return reports
}

t.test('each test point counts once, and a subtest not beside its parts', async (t) => {
  const [report] = read(`# Subtest: test/a.test.ts
    # Subtest: adds
        ok 1 - sum
        not ok 2 - product
          ---
          at:
            fileName: test/a.test.ts
            lineNumber: 3
            columnNumber: 1
          diff: |
            -3
            +2
          source: |
            t.equal(1 + 1, 3)
          ...
        1..2
    not ok 1 - adds # time=6ms
    ok 2 - speaks to the engine # SKIP no engine
    1..2
not ok 1 - test/a.test.ts # time=71.5ms
1..1
`)
  t.match(report, {
    file: 'test/a.test.ts',
    tally: { passed: 1, failed: 1, skipped: 1 },
    ms: 71.5,
    skipReasons: ['no engine'],
  })
  t.same(report?.failures, ['adds › product\nat test/a.test.ts:3\n-3\n+2'])
})

t.test(
  'a file that breaks although every point passed is one failure, and what it printed is shown',
  async (t) => {
    const [report] = read(`# Subtest: test/b.test.ts
    ok 1 - fine
    something printed
    1..1
not ok 1 - test/b.test.ts # time=6ms
  ---
  exitCode: 3
  signal: null
  ...
1..1
`)
    t.same(report?.tally, { passed: 1, failed: 1, skipped: 0 })
    t.match(report?.failures, [/test\/b\.test\.ts\n\{ exitCode: 3, signal: null \}/, /something printed/])
  },
)

t.test('a file that is skipped as a whole is one skip with its reason', async (t) => {
  const [report] = read(`# Subtest: test/c.test.ts
    1..0 # no engine here
ok 1 - test/c.test.ts # SKIP no engine here
1..1
`)
  t.match(report, {
    tally: { passed: 0, failed: 0, skipped: 1 },
    skipReasons: ['no engine here'],
    failures: [],
  })
})

t.test('a crash in one file does not hide behind a failure in the file before', async (t) => {
  const reports = read(`# Subtest: test/d.test.ts
    not ok 1 - broken
    1..1
not ok 1 - test/d.test.ts
# Subtest: test/e.test.ts
    ok 1 - fine
    1..1
not ok 2 - test/e.test.ts
1..2
`)
  t.same(
    reports.map(({ tally }) => tally.failed),
    [1, 1],
  )
})

t.test('a run that bails out is a failure with the reason', async (t) => {
  const reports = read('Bail out! the disk is full\n')
  t.match(reports, [{ tally: { failed: 1 }, failures: ['the disk is full'] }])
})
