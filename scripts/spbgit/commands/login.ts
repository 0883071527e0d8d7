/** `spbgit login` and `spbgit logout`. */
import {
  currentForge,
  readCredentials,
  tokenText,
  withForge,
  withoutForge,
  writeCredentials,
} from '../credentials.ts'
import { Failure } from '../failure.ts'
import type { ForgeUrl } from '../forge/address.ts'
import { whoAmI } from '../forge/api.ts'
import { dropCertificate, gitCommands, keepCertificate } from '../git-set-up.ts'
import { readGivenFile } from '../given-file.ts'
import type { Session } from '../session.ts'
import { askSecret, canAsk } from '../terminal/questions.ts'
import { readStandardInput } from '../terminal/standard-input.ts'
import { settleTrust, type TrustOptions } from './trust.ts'

const maxTokenBytes = 4096

const readToken = async (file: string | undefined): Promise<string> => {
  if (file !== undefined) return readGivenFile(file, '--token-file')
  return canAsk() ? askSecret('Token') : readStandardInput(maxTokenBytes)
}

/** Stores the token once the forge has said whose it is, and makes this forge the current one. */
export const login = async (
  session: Session,
  url: ForgeUrl,
  options: TrustOptions & { tokenFile?: string; json?: boolean },
): Promise<void> => {
  const stored = await readCredentials(session.credentialsFile)
  const endpoint = await settleTrust(url, options, session.output)
  const token = tokenText.safeParse(await readToken(options.tokenFile))
  if (!token.success) {
    throw new Failure(
      'usage',
      'That is no token: a token is one line of printable characters without spaces.',
    )
  }
  const forge = { ...endpoint, token: token.data }
  const me = await whoAmI(forge)
  await writeCredentials(session.credentialsFile, withForge(stored, forge))
  const certificate = await keepCertificate(session.credentialsFile, forge)
  if (options.json) return session.output.json({ forge: url, ...me })
  session.output.line(`Signed in to ${url} as ${me.person}, with the token “${me.label}”.`)
  session.output.say('To let git use it for this forge, and for no other:')
  for (const command of gitCommands(url, certificate)) session.output.say(`  ${command}`)
}

/** Forgets the current forge and its token on this machine. */
export const logout = async (session: Session, options: { json?: boolean }): Promise<void> => {
  const stored = await readCredentials(session.credentialsFile)
  const forge = currentForge(stored)
  await writeCredentials(session.credentialsFile, withoutForge(stored, forge))
  await dropCertificate(session.credentialsFile, forge.url)
  if (options.json) session.output.json({ forge: forge.url })
  else session.output.line(`Signed out of ${forge.url}. The token stays valid until it is revoked there.`)
}
