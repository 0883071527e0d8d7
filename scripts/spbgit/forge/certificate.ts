/** A forge's certificate, before anything is said to the forge. */
import { X509Certificate } from 'node:crypto'
import net from 'node:net'
import tls from 'node:tls'
import { z } from 'zod'
import { Failure } from '../failure.ts'
import type { ForgeUrl } from './address.ts'
import { networkFailure } from './network-failure.ts'

const handshakeMs = 10_000

/** SHA-256 of a certificate's DER, as openssl prints it: upper-case pairs with colons between. Read with or without. */
export const fingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toUpperCase())
  .pipe(z.string().regex(/^[0-9A-F]{64}$/, 'a fingerprint is the 64 hexadecimal digits of a SHA-256'))
  .transform((hex) => hex.replace(/..(?=.)/g, '$&:'))
  .brand<'Fingerprint'>()
export type Fingerprint = z.infer<typeof fingerprint>

export type Presented = {
  readonly fingerprint: Fingerprint
  readonly pem: string
  /** Why the system does not accept it, as OpenSSL's code; null: it does. */
  readonly problem: string | null
}

/**
 * The certificate that the forge presents. The handshake is made without judging it, so that it can be shown;
 * nothing is sent over that connection and nothing is read from it.
 */
export const presentedCertificate = (url: ForgeUrl): Promise<Presented> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url)
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = tls.connect({
      host,
      port: port === '' ? 443 : Number(port),
      ...(net.isIP(host) === 0 && { servername: host }),
      rejectUnauthorized: false,
    })
    const late = new Failure('timed-out', `${url} did not show a certificate in time. Try again.`)
    const deadline = setTimeout(() => socket.destroy(late), handshakeMs)
    socket.once('close', () => {
      clearTimeout(deadline)
      reject(new Failure('unreachable', `${url} closed the connection. Check the address.`))
    })
    socket.on('error', (error) => reject(networkFailure(error, url)))
    socket.once('secureConnect', () => {
      const certificate = socket.getPeerX509Certificate()
      const problem = socket.authorized ? null : String(socket.authorizationError)
      socket.destroy()
      if (certificate === undefined) return
      resolve({
        fingerprint: fingerprint.parse(certificate.fingerprint256),
        pem: certificate.toString(),
        problem,
      })
    })
  })

/** Checks that a text holds PEM certificates, and nothing but them is kept. */
export const certificatesIn = (text: string): string => {
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Failure('usage', 'The file given with --ca holds no PEM certificate.')
  try {
    return blocks.map((block) => new X509Certificate(block).toString()).join('')
  } catch (error) {
    throw new Failure('usage', 'The file given with --ca holds a broken certificate.', { cause: error })
  }
}
