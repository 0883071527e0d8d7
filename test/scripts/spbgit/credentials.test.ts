import fs from 'node:fs/promises'
import path from 'node:path'
import t, { type Test } from 'tap'
import {
  credentialsPath,
  currentForge,
  readCredentials,
  withForge,
  withoutForge,
  writeCredentials,
} from '../../../scripts/spbgit/credentials.ts'
import { type Forge, forgeUrl } from '../../../scripts/spbgit/forge/address.ts'

const forge = (name: string): Forge => ({
  url: forgeUrl.parse(`https://${name}`),
  ca: null,
  token: `token-${name}`,
})
const fileOf = (t: Test): string => path.join(t.testdir(), 'spbgit', 'credentials.json')
const one = withForge({ current: null, forges: [] }, forge('a'))

t.test('what was written is read, and only its owner can read it', async (t) => {
  const file = fileOf(t)
  t.strictSame(await readCredentials(file), { current: null, forges: [] })
  await writeCredentials(file, one)
  await writeCredentials(file, withForge(one, forge('b')))
  t.strictSame(currentForge(await readCredentials(file)), forge('b'))
  t.equal((await fs.stat(file)).mode & 0o777, 0o600)
  t.equal((await fs.stat(path.dirname(file))).mode & 0o777, 0o700)
  t.strictSame(await fs.readdir(path.dirname(file)), ['credentials.json'], 'no temporary file is left')
})

t.test('a file that others can read is refused', async (t) => {
  const file = fileOf(t)
  await writeCredentials(file, one)
  for (const mode of [0o640, 0o604, 0o620, 0o601]) {
    await fs.chmod(file, mode)
    await t.rejects(readCredentials(file), { code: 'credentials-unsafe' })
  }
})

t.test('a link in place of the file is not followed', async (t) => {
  const file = fileOf(t)
  await writeCredentials(file, one)
  await fs.rename(file, `${file}.elsewhere`)
  await fs.symlink(`${file}.elsewhere`, file)
  await t.rejects(readCredentials(file), { code: 'credentials-unreadable' })
})

t.test('a damaged file is said to be damaged', async (t) => {
  const file = fileOf(t)
  await writeCredentials(file, one)
  for (const text of [
    '',
    '{',
    '{"current":null}',
    '{"current":null,"forges":[{"url":"http://x","ca":null,"token":"t"}]}',
  ]) {
    await fs.writeFile(file, text)
    await t.rejects(readCredentials(file), { code: 'credentials-unreadable' })
  }
})

t.test('signing in again replaces the token, and out forgets one forge only', async (t) => {
  const again = withForge(one, { ...forge('a'), token: 'new' })
  t.strictSame(
    again.forges.map(({ token }) => token),
    ['new'],
  )
  const two = withForge(one, forge('b'))
  t.equal(withoutForge(two, forge('a')).current, 'https://b')
  t.equal(withoutForge(two, forge('b')).current, null)
  t.throws(() => currentForge(withoutForge(two, forge('b'))), { code: 'not-signed-in' })
})

t.test('the file lies where XDG says, and a relative XDG_CONFIG_HOME is ignored', async (t) => {
  t.equal(credentialsPath({ XDG_CONFIG_HOME: '/conf' }, '/home/a'), '/conf/spbgit/credentials.json')
  t.equal(credentialsPath({ XDG_CONFIG_HOME: 'conf' }, '/home/a'), '/home/a/.config/spbgit/credentials.json')
  t.equal(credentialsPath({}, '/home/a'), '/home/a/.config/spbgit/credentials.json')
})
