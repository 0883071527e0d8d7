/** What makes git on this machine know a forge: its certificate in a file, and the lines that point git to both. */
import fs from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { shellWord } from '../../server/protocol/shell-word.ts'
import type { Endpoint, ForgeUrl } from './forge/address.ts'

const launcher = fileURLToPath(new URL('spbgit.js', import.meta.url))

/** Beside the credentials; a host's name holds nothing that a path could not. */
const certificateFile = (credentialsFile: string, url: ForgeUrl): string =>
  path.join(path.dirname(credentialsFile), `${new URL(url).host.replaceAll(/[^\w.-]/g, '_')}.pem`)

/** Keeps the forge's certificate where git can read it. null: git needs none. */
export const keepCertificate = async (
  credentialsFile: string,
  { url, ca }: Endpoint,
): Promise<string | null> => {
  const file = certificateFile(credentialsFile, url)
  await fs.rm(file, { force: true })
  if (ca === null) return null
  await fs.writeFile(file, ca, { mode: 0o600, flag: 'wx' })
  return file
}

export const dropCertificate = (credentialsFile: string, url: ForgeUrl): Promise<void> =>
  fs.rm(certificateFile(credentialsFile, url), { force: true })

/** The commands that configure git, for a person to run. */
export const gitCommands = (url: ForgeUrl, certificate: string | null): string[] => {
  const helper = shellWord(`!${[process.execPath, launcher].map(shellWord).join(' ')} credential`)
  return [
    `git config --global credential.${url}.helper ${helper}`,
    ...(certificate === null ? [] : [`git config --global http.${url}.sslCAInfo ${shellWord(certificate)}`]),
  ]
}
