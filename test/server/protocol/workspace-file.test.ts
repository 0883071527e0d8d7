import t from 'tap'
import { workspaceFile } from '../../../server/protocol/workspace-file.ts'

t.test('an empty file asks for nothing', async (t) => {
  t.same(workspaceFile.parse({}), {})
})

t.test('a test is a command, alone or with the paths that hold tests', async (t) => {
  t.same(workspaceFile.parse({ test: 'make check' }), { test: { command: 'make check', paths: [] } })
  const whole = { test: { command: 'make check', paths: ['test'] } }
  t.same(workspaceFile.parse(whole), whole)
})

t.test('what was parsed parses again to the same, since that is how it is stored', async (t) => {
  const parsed = workspaceFile.parse({ setup: 'npm ci', test: 'npm test', limits: { wallMs: 60_000 } })
  t.same(workspaceFile.parse(JSON.parse(JSON.stringify(parsed))), parsed)
})

t.test('a typing error is refused rather than ignored', async (t) => {
  for (const bad of [
    { tests: 'x' },
    { limits: { wallMS: 1000 } },
    { setup: '' },
    { setup: ['npm', 'ci'] },
    { test: 7 },
    { test: { paths: [] } },
    { image: 'debian:latest' },
    { setup: 'x'.repeat(8193) },
    { test: { command: 'x'.repeat(8193), paths: [] } },
    [],
    null,
    'npm test',
  ])
    t.notOk(workspaceFile.safeParse(bad).success, JSON.stringify(bad)?.slice(0, 60))
})

t.test('a key that would reach into prototypes is refused', async (t) => {
  t.notOk(workspaceFile.safeParse(JSON.parse('{"__proto__":{"setup":"x"}}')).success)
})
