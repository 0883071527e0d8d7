/** An end of the command that a person can act on: one sentence of what happened and what to do. */
import { type ExitCode, exitCode } from './exit-code.ts'

export type FailureCode =
  | 'usage'
  | 'declined'
  | 'credentials-unsafe'
  | 'credentials-unreadable'
  | 'not-signed-in'
  | 'unreachable'
  | 'timed-out'
  | 'forge-failed'
  | 'certificate-untrusted'
  | 'certificate-mismatch'
  | 'certificate-invalid'
  | 'unexpected-answer'
  | 'answer-too-large'
  | 'refused'
  | 'no-proposal'
  | 'audit-broken'

const exitOf = (code: FailureCode): ExitCode => {
  if (code === 'usage') return exitCode.usage
  return code === 'declined' ? exitCode.cancelled : exitCode.failed
}

export class Failure extends Error {
  override readonly name = 'Failure'
  readonly code: FailureCode
  readonly exit: ExitCode

  constructor(code: FailureCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
    this.exit = exitOf(code)
  }
}

/** Whether the same request may succeed a moment later. */
export const isPassing = (error: unknown): boolean =>
  error instanceof Failure &&
  (error.code === 'unreachable' || error.code === 'timed-out' || error.code === 'forge-failed')
