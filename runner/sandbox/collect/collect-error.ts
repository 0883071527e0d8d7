/** The work cannot be collected, in a sentence for the job's log. */
export class CollectError extends Error {
  override readonly name = 'CollectError'
}
