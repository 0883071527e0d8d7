/** The certificate and key that the forge listens with. */
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import path from 'node:path'
import { generate } from 'selfsigned'
import { type Config, ConfigError } from '../config.ts'

/** `ca` is what a client must trust; null where the system's own authorities do. */
export type Certificate = Readonly<{ cert: string; key: string; ca: string | null }>

const years = 10
/** Made anew while it still holds for so long. */
const renewMs = 30 * 24 * 60 * 60_000

const readPair = async (cert: string, key: string): Promise<{ cert: string; key: string }> => ({
  cert: await readFile(cert, 'utf8'),
  key: await readFile(key, 'utf8'),
})

const readOwners = (cert: string, key: string): Promise<{ cert: string; key: string }> =>
  readPair(cert, key).catch((error: unknown) => {
    throw new ConfigError(`TLS ${cert},${key} cannot be read: ${String(error)}`)
  })

/** Also false for what a crash between the two files left behind: one of each pair. */
const isUsable = ({ cert, key }: { cert: string; key: string }, host: string, now: number): boolean => {
  try {
    const parsed = new X509Certificate(cert)
    const named = isIP(host) ? parsed.checkIP(host) : parsed.checkHost(host)
    const lasting = Date.parse(parsed.validTo) > now + renewMs
    return named !== undefined && lasting && parsed.checkPrivateKey(createPrivateKey(key))
  } catch {
    return false
  }
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
      { name: 'subjectAltName', altNames: [isIP(host) ? { type: 7, ip: host } : { type: 2, value: host }] },
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

/** An IPv6 address stands in brackets in a URL and without them everywhere else. */
const hostOf = (url: string): string => new URL(url).hostname.replace(/^\[|\]$/g, '')

/** null: TLS is off, a proxy in front ends it. Throws ConfigError for files of the owner that cannot be read. */
export const loadCertificate = async (
  { tls, dataDir, publicUrl }: Pick<Config, 'tls' | 'dataDir' | 'publicUrl'>,
  now: number,
): Promise<Certificate | null> => {
  switch (tls.kind) {
    case 'off':
      return null
    case 'files':
      return { ...(await readOwners(tls.cert, tls.key)), ca: null }
    case 'self-signed':
      return selfSigned(path.join(dataDir, 'tls'), hostOf(publicUrl), now)
  }
}
