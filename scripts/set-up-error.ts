export type SetUpErrorCode =
  | 'engine-missing'
  | 'engine-forbidden'
  | 'engine-address-unsupported'
  | 'engine-start-failed'
  | 'engine-request-failed'
  | 'install-failed'
  | 'base-image-missing'
  | 'image-build-failed'
  | 'browser-missing'
  | 'demo-running'
  | 'demo-failed'
  | 'bench-failed'

/** The machine lacks something. The message says what, and what a person can do about it. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError'
  readonly code: SetUpErrorCode

  constructor(code: SetUpErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
