/** The certificate and key that the forge listens with. */
import { X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { generate } from 'selfsigned'
import type { Config } from '../config.ts'

/** `ca` is what a client must trust; null where the system's own authorities do. */
export type Certificate = Readonly<{ cert: string; key: string; ca: string | null }>

const years = 10
/** Made anew while it still holds for so long. */
const renewMs = 30 * 24 * 60 * 60_000

const readPair = async (cert: string, key: string): Promise<{ cert: string; key: string }> => ({
  cert: await readFile(cert, 'utf8'),
  key: await readFile(key, 'utf8'),
})

const isUsable = ({ cert }: { cert: string }, host: string, now: number): boolean => {
  const parsed = new X509Certificate(cert)
  return parsed.checkHost(host) !== undefined && Date.parse(parsed.validTo) > now + renewMs
}

const make = async (host: string, now: number) => {
  const { cert, private: key } = await generate([{ name: 'commonName', value: host }], {
    keyType: 'ec',
    curve: 'P-256',
    algorithm: 'sha256',
    notBeforeDate: new Date(now - 60 * 60_000),
    notAfterDate: new Date(now + years * 365 * 24 * 60 * 60_000),
    extensions: [
      // No authority: whoever trusts this certificate trusts this name alone.
      { name: 'basicConstraints', cA: false, critical: true },
      { name: 'keyUsage', digitalSignature: true, critical: true },
      { name: 'extKeyUsage', serverAuth: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: host }] },
    ],
  })
  return { cert, key }
}

/** Writes a file whole or not at all. */
const replaceFile = async (file: string, text: string): Promise<void> => {
  await writeFile(`${file}.new`, text, { mode: 0o600 })
  await rename(`${file}.new`, file)
}

const selfSigned = async (folder: string, host: string, now: number): Promise<Certificate> => {
  const certFile = path.join(folder, 'cert.pem')
  const keyFile = path.join(folder, 'key.pem')
  const kept = await readPair(certFile, keyFile).catch(() => null)
  if (kept && isUsable(kept, host, now)) return { ...kept, ca: kept.cert }
  const made = await make(host, now)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await replaceFile(keyFile, made.key)
  await replaceFile(certFile, made.cert)
  return { ...made, ca: made.cert }
}

/** null: TLS is off, a proxy in front ends it. */
export const loadCertificate = async (
  { tls, dataDir, publicUrl }: Pick<Config, 'tls' | 'dataDir' | 'publicUrl'>,
  now: number,
): Promise<Certificate | null> => {
  switch (tls.kind) {
    case 'off':
      return null
    case 'files':
      return { ...(await readPair(tls.cert, tls.key)), ca: null }
    case 'self-signed':
      return selfSigned(path.join(dataDir, 'tls'), new URL(publicUrl).hostname, now)
  }
}
