/** Who a request comes from, and how often that may be asked. */
import type { IncomingMessage } from 'node:http'
import { ForgeError } from '../errors.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import { tokenFromHeader } from './credentials.ts'
import type { Identity } from './identity.ts'
import type { TokenStore } from './token-store.ts'

type Parts = Readonly<{
  tokens: TokenStore
  addressOf: (request: IncomingMessage) => string
  /** Wrong tokens, by address. */
  failures: RateLimit
  /** Requests, by token. */
  uses: RateLimit
}>

/** Throws 429 where the bucket is empty. */
export const refuseAbove = (limit: RateLimit, key: string): void => {
  const retryAfterSeconds = limit.wait(key, performance.now())
  if (retryAfterSeconds === 0) return
  throw new ForgeError('too-many-requests', `Too many requests. Try again in ${retryAfterSeconds} s.`, {
    retryAfterSeconds,
  })
}

export const openIdentify = ({ tokens, addressOf, failures, uses }: Parts) => {
  /** The identity behind a token's text; null for a wrong one, which counts against the address. Throws 429. */
  const verify = async (
    request: IncomingMessage,
    text: string,
  ): Promise<Exclude<Identity, { kind: 'anonymous' }> | null> => {
    const address = addressOf(request)
    refuseAbove(failures, address)
    const identity = await tokens.verify(text)
    if (!identity) {
      failures.spend(address, performance.now())
      return null
    }
    refuseAbove(uses, identity.token)
    uses.spend(identity.token, performance.now())
    return identity
  }

  return {
    verify,

    /** The identity that an `Authorization` header proves. Throws 401 for one that proves nothing, 429 for too many. */
    async identify(request: IncomingMessage): Promise<Identity> {
      const text = tokenFromHeader(request.headers.authorization)
      if (text === null) return { kind: 'anonymous' }
      const identity = await verify(request, text ?? '')
      if (identity) return identity
      throw new ForgeError('bad-credentials', 'This token is not valid: mistyped, expired or revoked.')
    },
  }
}

export type Identify = ReturnType<typeof openIdentify>
