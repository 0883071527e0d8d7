import t from 'tap'
import { certificatesIn, fingerprint } from '../../../../scripts/spbgit/forge/certificate.ts'
import { makeCertificate } from '../../../support/certificate.ts'

t.test('a fingerprint reads the same with and without colons, in either case', async (t) => {
  const plain = 'ab'.repeat(32)
  const written = Array.from({ length: 32 }, () => 'AB').join(':')
  t.equal(fingerprint.parse(plain), written)
  t.equal(fingerprint.parse(written), written)
})

t.test('a fingerprint that is cut, or of another algorithm, is refused', async (t) => {
  for (const text of ['', 'ab', 'ab'.repeat(20), 'ab'.repeat(33), 'zz'.repeat(32)]) {
    t.equal(fingerprint.safeParse(text).success, false, text)
  }
})

t.test('of a PEM file the certificates are kept and a private key is not', async (t) => {
  const { key, cert } = makeCertificate(t, ['localhost'])
  const kept = certificatesIn(`${key.toString()}\n${cert.toString()}`)
  t.match(kept, /^-----BEGIN CERTIFICATE-----/)
  t.notMatch(kept, /PRIVATE/)
  t.throws(() => certificatesIn(key.toString()), { code: 'usage' })
  t.throws(() => certificatesIn('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'), {
    code: 'usage',
  })
})
