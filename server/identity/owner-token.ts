/** The owner's token: made where nobody could sign in otherwise. */
import { open } from 'node:fs/promises'
import { ConfigError } from '../config.ts'
import type { TokenStore } from './token-store.ts'

const openNew = (file: string) =>
  open(file, 'wx', 0o600).catch((error: unknown) => {
    throw new ConfigError(`OWNER_TOKEN_FILE ${file} cannot be made: ${String(error)}`)
  })

/**
 * Makes an owner's token where there is none: at the first start, and at a start after every personal token was
 * revoked. Hands it over into `file` (mode 0600, must not exist), or to `print`, once. A file that cannot be written
 * leaves no token behind.
 */
export const ensureOwnerToken = async (
  tokens: TokenStore,
  file: string | null,
  print: (text: string) => void,
): Promise<void> => {
  if (await tokens.hasPersonal()) return
  const handle = file === null ? null : await openNew(file)
  const { token, text } = await tokens.create('owner', { by: null })
  try {
    if (handle) {
      await handle.writeFile(`${text}\n`)
      await handle.sync()
    } else print(`The owner’s token, shown only this once:\n\n  ${text}\n`)
  } catch (error) {
    await tokens.revoke(token.id, null)
    throw error
  } finally {
    await handle?.close()
  }
}
