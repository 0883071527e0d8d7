import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { createSecureContext } from 'node:tls'
import t from 'tap'
import { loadCertificate } from '../../../server/http/certificate.ts'
import { tempFolder } from '../../support/temp.ts'

const now = Date.now()
/** Throws unless the two belong together. */
const listenWith = ({ cert, key }: { cert: string; key: string }): unknown =>
  createSecureContext({ cert, key })

const load = async (dataDir: string, publicUrl = 'https://localhost:8443', at = now) => {
  const made = await loadCertificate({ tls: { kind: 'self-signed' }, dataDir, publicUrl }, at)
  if (!made) throw new Error('no certificate')
  return made
}

t.test('the first start makes a certificate for its name, the next ones keep it', async (t) => {
  const folder = tempFolder(t)
  const made = await load(folder)
  listenWith(made)
  t.equal(made.ca, made.cert)
  const parsed = new X509Certificate(made.cert)
  t.equal(parsed.checkHost('localhost'), 'localhost')
  t.equal(parsed.checkHost('example.org'), undefined)
  t.equal(parsed.ca, false, 'it vouches for nothing else')
  t.equal(statSync(path.join(folder, 'tls/key.pem')).mode & 0o777, 0o600)
  t.same(await load(folder), made)
})

t.test('it is made anew for another name, and before it runs out', async (t) => {
  const folder = tempFolder(t)
  const first = await load(folder)
  const renamed = await load(folder, 'https://forge.example.org')
  t.not(renamed.cert, first.cert)
  const later = Date.parse(new X509Certificate(renamed.cert).validTo) - 24 * 60 * 60_000
  t.not((await load(folder, 'https://forge.example.org', later)).cert, renamed.cert)
})

t.test('a name that is an address is one in the certificate, and is kept', async (t) => {
  const folder = tempFolder(t)
  for (const [url, address] of [
    ['https://127.0.0.1:8443', '127.0.0.1'],
    ['https://[::1]', '::1'],
  ] as const) {
    const made = await load(folder, url)
    t.equal(new X509Certificate(made.cert).checkIP(address), address)
    t.same(await load(folder, url), made)
  }
})

t.test('a key and a certificate that do not belong together are made anew', async (t) => {
  const folder = tempFolder(t)
  const other = tempFolder(t)
  await load(folder)
  await load(other)
  const key = path.join(folder, 'tls/key.pem')
  writeFileSync(key, readFileSync(path.join(other, 'tls/key.pem')))
  const made = await load(folder)
  listenWith(made)
})

t.test('files that hold no certificate are made anew', async (t) => {
  const folder = tempFolder(t)
  await load(folder)
  writeFileSync(path.join(folder, 'tls/cert.pem'), 'garbage')
  listenWith(await load(folder))
})

t.test('files of the owner are taken as they are; without TLS there is none', async (t) => {
  const folder = tempFolder(t)
  writeFileSync(path.join(folder, 'c'), 'cert')
  writeFileSync(path.join(folder, 'k'), 'key')
  const base = { dataDir: folder, publicUrl: 'https://localhost' }
  t.same(
    await loadCertificate(
      { ...base, tls: { kind: 'files', cert: path.join(folder, 'c'), key: path.join(folder, 'k') } },
      now,
    ),
    { cert: 'cert', key: 'key', ca: null },
  )
  t.equal(await loadCertificate({ ...base, tls: { kind: 'off' } }, now), null)
})

t.test('a file of the owner that cannot be read is said by its name', async (t) => {
  const folder = tempFolder(t)
  const cert = path.join(folder, 'nowhere.pem')
  await t.rejects(
    loadCertificate(
      { dataDir: folder, publicUrl: 'https://localhost', tls: { kind: 'files', cert, key: cert } },
      now,
    ),
    { code: 'bad-config', message: /^TLS .*nowhere\.pem.* cannot be read: / },
  )
})
