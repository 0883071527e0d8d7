/** node-git-server's `authenticate`: asked on every request, by callback or by promise. */
import type { IncomingMessage } from 'node:http'
import type { Git } from 'node-git-server'
import { ForgeError } from '../../errors.ts'
import { answerWithin } from './answer-within.ts'
import { basicCredentials } from './basic-credentials.ts'

export type Authenticate = NonNullable<Git['authenticate']>

type Asked = Readonly<{ type: 'fetch' | 'push'; repo: string }>

const refusal = (why: unknown): ForgeError =>
  new ForgeError('not-signed-in', why instanceof Error ? why.message : String(why))

/**
 * Resolves when the function lets the request in. Throws ForgeError 401, which makes git ask for credentials, when it
 * passes an error on, throws, rejects, or wants credentials that are not there. What it says first counts.
 */
export const authenticate = async (
  check: Authenticate,
  asked: Asked,
  request: IncomingMessage,
): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const given = basicCredentials(request)

  function user(): Promise<[string | undefined, string | undefined]>
  function user(callback: (username?: string, password?: string) => void): void
  function user(callback?: (username?: string, password?: string) => void): unknown {
    if (!given) reject(refusal('This needs a user name and a password.'))
    if (callback) return given ? callback(given.username, given.password) : undefined
    // Without credentials the request has been answered, and whoever waits for them waits in vain.
    return given ? Promise.resolve([given.username, given.password]) : new Promise(() => undefined)
  }

  const settle = (error?: unknown): void => (error ? reject(refusal(error)) : resolve())
  try {
    const result = check({ ...asked, user, headers: request.headers }, settle)
    if (result instanceof Promise) result.then(settle, (error: unknown) => reject(refusal(error)))
  } catch (error) {
    reject(refusal(error))
  }
  await answerWithin(promise)
}
