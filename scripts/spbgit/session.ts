/** What every command works with. */
import { currentForge, readCredentials } from './credentials.ts'
import type { Forge } from './forge/address.ts'
import type { Output } from './terminal/output.ts'

export type Session = { readonly output: Output; readonly credentialsFile: string }

/** The forge that the person is signed in to. */
export const signedIn = async ({ credentialsFile }: Session): Promise<Forge> =>
  currentForge(await readCredentials(credentialsFile))
