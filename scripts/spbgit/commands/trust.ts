/** Which certificate a person trusts to be their forge's. Never decided without them. */
import fs from 'node:fs/promises'
import { Failure } from '../failure.ts'
import type { Endpoint, ForgeUrl } from '../forge/address.ts'
import { certificatesIn, type Fingerprint, presentedCertificate } from '../forge/certificate.ts'
import { isUntrusted, networkFailure } from '../forge/network-failure.ts'
import type { Output } from '../terminal/output.ts'
import { askToGoOn, canAsk } from '../terminal/questions.ts'

/** How the person says it ahead of time, where nobody can be asked. */
export type TrustOptions = { readonly ca?: string; readonly fingerprint?: Fingerprint }

const readCa = async (file: string): Promise<string> => {
  const text = await fs.readFile(file, 'utf8').catch((error: unknown) => {
    throw new Failure('usage', `The file ${file} given with --ca cannot be read.`, { cause: error })
  })
  return certificatesIn(text)
}

const mismatch = (url: ForgeUrl, wanted: Fingerprint, found: Fingerprint): Failure =>
  new Failure(
    'certificate-mismatch',
    `${url} is not the forge that you named, or someone is in between.\n  wanted ${wanted}\n  found  ${found}`,
  )

/**
 * The forge with the certificate to hold it to: the given authority, the one with the given fingerprint, none
 * of its own where the system trusts it, or else exactly the presented one, after the person said yes.
 */
export const settleTrust = async (
  url: ForgeUrl,
  options: TrustOptions,
  output: Output,
): Promise<Endpoint> => {
  if (options.ca !== undefined) return { url, ca: await readCa(options.ca) }
  const { fingerprint, pem, problem } = await presentedCertificate(url)
  if (options.fingerprint !== undefined) {
    if (options.fingerprint !== fingerprint) throw mismatch(url, options.fingerprint, fingerprint)
    return { url, ca: pem }
  }
  if (problem === null) return { url, ca: null }
  if (!isUntrusted(problem)) {
    throw networkFailure(Object.assign(new Error(problem), { code: problem }), url)
  }
  if (!canAsk()) {
    throw new Failure(
      'certificate-untrusted',
      `No authority that this machine trusts has signed the certificate of ${url}. Get its SHA-256 fingerprint from the forge’s owner and give it with --fingerprint, or the certificate itself with --ca.`,
    )
  }
  output.say(`This machine has no reason yet to trust the certificate of ${url}.`)
  output.say('Its SHA-256 fingerprint is:')
  output.say(`  ${fingerprint}`, 'bold')
  output.say('Compare it with the one on the forge’s own machine before you go on.')
  await askToGoOn('Trust exactly this certificate for this forge?')
  return { url, ca: pem }
}
