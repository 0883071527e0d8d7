/** The forges that one is signed in to, in a file that its owner alone can read. */
import { constants } from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { Failure } from './failure.ts'
import { type Forge, forgeUrl } from './forge/address.ts'

/** A token as it may stand in a header: printable ASCII without spaces. */
export const tokenText = z
  .string()
  .trim()
  .regex(/^[\x21-\x7e]{1,512}$/, 'a token is one line of printable characters without spaces')

const credentials = z.strictObject({
  current: forgeUrl.nullable(),
  forges: z.array(z.strictObject({ url: forgeUrl, ca: z.string().nullable(), token: tokenText })),
})
export type Credentials = z.infer<typeof credentials>

const none: Credentials = { current: null, forges: [] }

/** `$XDG_CONFIG_HOME/spbgit/credentials.json`, by the XDG base directory rules: a relative value is ignored. */
export const credentialsPath = (env: NodeJS.ProcessEnv, home: string): string => {
  const configured = env['XDG_CONFIG_HOME'] ?? ''
  const base = path.isAbsolute(configured) ? configured : path.join(home, '.config')
  return path.join(base, 'spbgit', 'credentials.json')
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

const readPrivate = async (file: string): Promise<string | null> => {
  let handle: fs.FileHandle
  try {
    handle = await fs.open(file, constants.O_RDONLY | constants.O_NOFOLLOW)
  } catch (error) {
    if (isMissing(error)) return null
    throw new Failure('credentials-unreadable', `${file} cannot be read. It must be a file of yours.`, {
      cause: error,
    })
  }
  try {
    const { mode, uid } = await handle.stat()
    if ((mode & 0o077) !== 0 || uid !== process.getuid?.()) {
      throw new Failure(
        'credentials-unsafe',
        `${file} is open to others, so its tokens may be known. Revoke them at the forge, delete the file and sign in again.`,
      )
    }
    return await handle.readFile('utf8')
  } finally {
    await handle.close()
  }
}

/** What is stored; nothing where there is no file. Refuses a file that others can read or own. */
export const readCredentials = async (file: string): Promise<Credentials> => {
  const text = await readPrivate(file)
  if (text === null) return none
  try {
    return credentials.parse(JSON.parse(text))
  } catch (error) {
    throw new Failure('credentials-unreadable', `${file} is damaged. Delete it and sign in again.`, {
      cause: error,
    })
  }
}

/** Replaces the file as a whole: a reader sees the old one or the new one. */
export const writeCredentials = async (file: string, value: Credentials): Promise<void> => {
  const folder = path.dirname(file)
  await fs.mkdir(folder, { recursive: true, mode: 0o700 })
  await fs.chmod(folder, 0o700)
  const temporary = `${file}.${process.pid}.new`
  try {
    await fs.writeFile(temporary, `${JSON.stringify(value, null, 2)}\n`, {
      mode: 0o600,
      flag: 'wx',
      flush: true,
    })
    await fs.rename(temporary, file)
  } catch (error) {
    await fs.rm(temporary, { force: true })
    throw error
  }
}

/** With this forge added or replaced, and made the current one. */
export const withForge = ({ forges }: Credentials, forge: Forge): Credentials => ({
  current: forge.url,
  forges: [...forges.filter(({ url }) => url !== forge.url), forge],
})

/** Without this forge; where it was the current one, none is. */
export const withoutForge = ({ current, forges }: Credentials, gone: Forge): Credentials => ({
  current: current === gone.url ? null : current,
  forges: forges.filter(({ url }) => url !== gone.url),
})

/** The forge that commands go to. */
export const currentForge = ({ current, forges }: Credentials): Forge => {
  const forge = forges.find(({ url }) => url === current)
  if (forge !== undefined) return forge
  throw new Failure('not-signed-in', 'You are not signed in to a forge. Run: spbgit login <url>')
}
