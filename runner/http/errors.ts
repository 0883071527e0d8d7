/** Every way in which the runner says no: a literal code, its HTTP status, and a sentence that says what to do. */

const statuses = {
  'bad-request': 400,
  'bad-secret': 401,
  'not-found': 404,
  'unknown-attempt': 404,
  'attempt-conflict': 409,
  'attempt-active': 409,
  'too-large': 413,
  internal: 500,
} as const

export type ErrorCode = keyof typeof statuses

/** An answer that the forge may see as it is. Anything else that is thrown becomes `internal`. */
export class RunnerError extends Error {
  override readonly name = 'RunnerError'
  readonly code: ErrorCode
  readonly status: number

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
    this.status = statuses[code]
  }
}
