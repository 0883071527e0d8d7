import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { configKeys as runnerKeys } from '../../runner/config.ts'
import { configKeys as forgeKeys } from '../../server/config.ts'
import { root } from '../support/forge.ts'

const file = path.join(root, 'README.md')

const tableOf = ({ shape }: typeof forgeKeys | typeof runnerKeys): string =>
  [
    '| key | meaning |',
    '|---|---|',
    ...Object.entries(shape).map(([key, { description }]) => `| \`${key}\` | ${description} |`),
  ].join('\n')

const between = (name: string): RegExp =>
  new RegExp(`(<!-- ${name}:begin[^\\n]*-->\\n)([^]*?)(<!-- ${name}:end -->)`)

t.test('the README’s tables of configuration are what the code says', async (t) => {
  const before = readFileSync(file, 'utf8')
  const after = Object.entries({ forge: forgeKeys, runner: runnerKeys }).reduce(
    (text, [name, keys]) =>
      text.replace(
        between(name),
        (_, begin: string, __, end: string) => `${begin}\n${tableOf(keys)}\n\n${end}`,
      ),
    before,
  )
  if (process.env['TAP_SNAPSHOT'] === '1') writeFileSync(file, after)
  else t.equal(before, after, 'TAP_SNAPSHOT=1 makes them anew')
  t.match(after, /WORKSPACE_CONTROLLER_SECRET/)
})
