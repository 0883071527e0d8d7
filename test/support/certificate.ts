import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Test } from 'tap'

/** A self-signed certificate for these names; it and its file go away with the test. */
export const makeCertificate = (
  t: Test,
  names: readonly string[],
): { key: Buffer; cert: Buffer; certFile: string } => {
  const dir = t.testdir()
  const keyFile = join(dir, 'key.pem')
  const certFile = join(dir, 'cert.pem')
  const subject = names.map((name) => `DNS:${name}`).join(',')
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-days',
      '1',
    ].concat([
      '-keyout',
      keyFile,
      '-out',
      certFile,
      '-subj',
      '/CN=test',
      '-addext',
      `subjectAltName=${subject}`,
    ]),
    { stdio: 'pipe' },
  )
  return { key: readFileSync(keyFile), cert: readFileSync(certFile), certFile }
}
