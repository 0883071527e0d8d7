import type { Reason } from '../../server/protocol/jobs.ts'

/** Why an attempt ends without a proposal. The message is a sentence for the job's log. */
export class AttemptFailure extends Error {
  override readonly name = 'AttemptFailure'
  readonly reason: Reason

  constructor(reason: Reason, message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}
