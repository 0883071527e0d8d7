import { X509Certificate } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import t from 'tap'
import { makeCertificate } from '../../support/certificate.ts'
import { makeHome, needTerminal, run, startOnTerminal } from './support/spbgit.ts'
import { refuse, type StandIn, startForge } from './support/stand-in-forge.ts'

const token = 'spb_pat_01hzy3k9q2w4e6r8t0m5n7p9xz_secret'
const fileIn = (home: string): string => path.join(home, '.config', 'spbgit', 'credentials.json')
const stored = async (home: string): Promise<unknown> => {
  const text = await fs.readFile(fileIn(home), 'utf8').catch(() => null)
  return text === null ? null : JSON.parse(text)
}
const fingerprintOf = ({ cert }: StandIn): string => new X509Certificate(cert).fingerprint256

t.test('a certificate that nobody vouches for is refused where nobody can be asked', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  const { code, stdout, stderr } = await run(t, home, ['login', forge.url], token)
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, /--fingerprint/)
  t.strictSame(forge.asked, [], 'nothing was said to that server')
  t.equal(await stored(home), null)
})

t.test('with the right fingerprint the token from stdin is tried and kept', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  const args = ['login', forge.url, '--fingerprint', fingerprintOf(forge).toLowerCase(), '--json']
  const { code, stdout } = await run(t, home, args, `${token}\n`)
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { forge: forge.url, person: 'owner' })
  t.equal(forge.asked[0]?.headers.authorization, `Bearer ${token}`)
  t.match(await stored(home), { current: forge.url, forges: [{ url: forge.url, token }] })
  t.equal((await fs.stat(fileIn(home))).mode & 0o777, 0o600)
})

t.test('with another fingerprint nothing is said to the server', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  const { code, stderr } = await run(t, home, ['login', forge.url, '--fingerprint', 'ab'.repeat(32)], token)
  t.equal(code, 1)
  t.match(stderr, fingerprintOf(forge))
  t.strictSame(forge.asked, [])
})

t.test('with a certificate file and a token file nothing is asked', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  const tokenFile = path.join(home, 'token')
  await fs.writeFile(tokenFile, `${token}\n`)
  const args = ['login', forge.url, '--ca', forge.certFile, '--token-file', tokenFile]
  const { code, stdout } = await run(t, home, args)
  t.equal(code, 0)
  t.match(stdout, 'as owner')
})

t.test('a token that the forge does not know is not kept', async (t) => {
  const forge = await startForge(t, { 'GET /api/v1/me': refuse(401, 'bad-credentials', 'No.') })
  const home = await makeHome(t)
  const { code, stderr } = await run(t, home, ['login', forge.url, '--ca', forge.certFile], token)
  t.equal(code, 1)
  t.match(stderr, 'does not accept your token')
  t.equal(await stored(home), null)
})

t.test('a token that could not stand in a header is a usage error', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  for (const input of ['', 'two words', 'line\r\nx: y']) {
    const { code } = await run(t, home, ['login', forge.url, '--ca', forge.certFile], input)
    t.equal(code, 2)
  }
  t.strictSame(forge.asked, [])
})

t.test(
  'on a terminal the fingerprint is shown, and yes trusts exactly this certificate',
  needTerminal,
  async (t) => {
    const forge = await startForge(t)
    const home = await makeHome(t)
    const running = startOnTerminal(t, home, ['login', forge.url])
    await running.sees(fingerprintOf(forge))
    await running.sees('Trust exactly this certificate')
    running.types('y')
    await running.sees('Token')
    running.types(`${token}\r`)
    const { code, stdout } = await running.end()
    t.equal(code, 0)
    t.match(stdout, 'Signed in')
    t.notMatch(stdout, token, 'the token is not shown')
    t.match(await stored(home), { forges: [{ ca: new X509Certificate(forge.cert).toString() }] })
  },
)

t.test('on a terminal Enter alone trusts nothing', needTerminal, async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  const running = startOnTerminal(t, home, ['login', forge.url])
  await running.sees('Trust exactly this certificate')
  running.types('\r')
  t.equal((await running.end()).code, 4)
  t.strictSame(forge.asked, [])
  t.equal(await stored(home), null)
})

t.test('a forge that has another certificate one day gets no token', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  await run(t, home, ['login', forge.url, '--ca', forge.certFile], token)
  forge.asked.length = 0
  await t.test('another', async (t) => {
    forge.server.setSecureContext(makeCertificate(t, ['localhost']))
    const careless = { NODE_TLS_REJECT_UNAUTHORIZED: '0' }
    for (const env of [{}, careless]) {
      const { code, stderr } = await run(t, home, ['repo', 'list'], '', env)
      t.equal(code, 1)
      t.match(stderr, 'is not one that you trust')
    }
  })
  t.strictSame(forge.asked, [])
})

t.test('after logout nothing is left of the token', async (t) => {
  const forge = await startForge(t)
  const home = await makeHome(t)
  await run(t, home, ['login', forge.url, '--ca', forge.certFile], token)
  t.equal((await run(t, home, ['logout'])).code, 0)
  t.notMatch(await fs.readFile(fileIn(home), 'utf8'), token)
  const { code, stderr } = await run(t, home, ['repo', 'list'])
  t.equal(code, 1)
  t.match(stderr, 'spbgit login')
})
