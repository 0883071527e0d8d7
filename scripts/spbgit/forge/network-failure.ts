/** What the network's errors mean for the person at the terminal. */
import { Failure } from '../failure.ts'
import type { ForgeUrl } from './address.ts'

const untrusted = new Set([
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_SIGNATURE_FAILURE',
])

const notHttps = new Set(['EPROTO', 'ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG'])

/** Whether the certificate is sound but nobody that this machine trusts has signed it. */
export const isUntrusted = (code: string): boolean => untrusted.has(code)

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : ''

/** Turns what node:https, node:tls or node:net threw into a Failure; a Failure stays as it is. */
export const networkFailure = (error: unknown, url: ForgeUrl): Failure => {
  if (error instanceof Failure) return error
  const code = codeOf(error)
  const { hostname } = new URL(url)
  const failure = (kind: Failure['code'], text: string) => new Failure(kind, text, { cause: error })
  if (isUntrusted(code)) {
    return failure(
      'certificate-untrusted',
      `The certificate of ${url} is not one that you trust. Where the forge has a new one, run: spbgit login ${url}`,
    )
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return failure(
      'certificate-invalid',
      `The certificate of ${url} does not name ${hostname}. Use the name that the forge has as its PUBLIC_URL.`,
    )
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return failure(
      'certificate-invalid',
      `The certificate of ${url} is not valid today. Renew it, or set this machine’s clock.`,
    )
  }
  if (notHttps.has(code)) {
    return failure('certificate-invalid', `${url} does not speak HTTPS. Check the port of the address.`)
  }
  if (code === 'ECONNREFUSED') {
    return failure('unreachable', `Nothing answers at ${url}. Check the address, and that the forge runs.`)
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return failure('unreachable', `The name ${hostname} is not known. Check the address and the network.`)
  }
  const why = code === '' ? '' : ` (${code})`
  return failure('unreachable', `The connection to ${url} broke${why}. Try again.`)
}
