/** `spbgit credential`: git's credential helper, as gitcredentials(7) and git-credential(1) describe it. */
import { type Credentials, readCredentials } from '../credentials.ts'
import type { Forge } from '../forge/address.ts'
import type { Session } from '../session.ts'
import { readStandardInput } from '../terminal/standard-input.ts'

const mostBytes = 64 * 1024
/** The forge takes any; one that is asked for by another name is not this one. */
const userName = 'spbgit'

/** Lines of `key=value` up to an empty one. */
const parseRequest = (text: string): ReadonlyMap<string, string> => {
  const lines = text.split('\n')
  const end = lines.indexOf('')
  return new Map(
    lines.slice(0, end < 0 ? undefined : end).flatMap((line): [string, string][] => {
      const at = line.indexOf('=')
      return at < 0 ? [] : [[line.slice(0, at), line.slice(at + 1)]]
    }),
  )
}

/** The forge that exactly this protocol and host, port included, stand for. */
const findForge = ({ forges }: Credentials, asked: ReadonlyMap<string, string>): Forge | undefined => {
  const name = asked.get('username')
  if (asked.get('protocol') !== 'https' || (name !== undefined && name !== userName)) return undefined
  return forges.find(({ url }) => url === `https://${asked.get('host')}`)
}

/**
 * `get` answers with the token of a forge that one is signed in to, and says nothing about any other. What `login`
 * stored is for `login` and `logout` to change, so `store`, `erase` and what git may add later do nothing.
 */
export const credential = async ({ output, credentialsFile }: Session, operation: string): Promise<void> => {
  const asked = parseRequest(await readStandardInput(mostBytes))
  if (operation !== 'get') return
  const forge = findForge(await readCredentials(credentialsFile), asked)
  if (forge === undefined) return
  output.line(`username=${userName}`)
  output.line(`password=${forge.token}`)
}
