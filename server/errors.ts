/** Every way in which the forge says no: a literal code, its HTTP status, and a sentence that says what to do. */

const statuses = {
  'bad-request': 400,
  'not-signed-in': 401,
  'bad-credentials': 401,
  forbidden: 403,
  'csrf-mismatch': 403,
  'not-found': 404,
  'method-not-allowed': 405,
  'already-exists': 409,
  'repository-empty': 409,
  'repository-busy': 409,
  'repository-refused': 409,
  'proposal-moved': 409,
  'branch-moved': 409,
  'branch-is-default': 409,
  'branch-is-symbolic': 409,
  'not-fast-forward': 409,
  'wrong-state': 409,
  'bad-workspace-file': 409,
  'too-large': 413,
  'unsupported-media-type': 415,
  'too-many-requests': 429,
  'too-busy': 429,
  internal: 500,
  unavailable: 503,
} as const

export type ErrorCode = keyof typeof statuses
export type Issue = { path: string; message: string }

/** An answer that a client may see as it is. Anything else that is thrown becomes `internal`. */
export class ForgeError extends Error {
  override readonly name = 'ForgeError'
  readonly code: ErrorCode
  readonly status: number
  readonly issues: readonly Issue[]
  /** When to try again, for `Retry-After`; null where trying again is no use. */
  readonly retryAfterSeconds: number | null
  /** What a 405 takes instead, for `Allow`; null where Koa's router knows. */
  readonly allow: string | null

  constructor(
    code: ErrorCode,
    message: string,
    more: { issues?: Issue[]; retryAfterSeconds?: number; allow?: string } = {},
  ) {
    super(message)
    this.code = code
    this.status = statuses[code]
    this.issues = more.issues ?? []
    this.retryAfterSeconds = more.retryAfterSeconds ?? null
    this.allow = more.allow ?? null
  }
}
