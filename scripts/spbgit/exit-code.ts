/** What a script learns from how `spbgit` ended. */
import type { JobState } from '../../server/protocol/jobs.ts'

export const exitCode = {
  proposed: 0,
  failed: 1,
  usage: 2,
  noChange: 3,
  cancelled: 4,
  /** A program that ended on SIGINT: 128 and the signal's number, as shells have it. */
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCode)[keyof typeof exitCode]

/** The exit code of a job in this state; null while it is still at work. */
export const exitCodeOf = (state: JobState): ExitCode | null => {
  switch (state) {
    case 'open':
    case 'queued':
    case 'starting':
    case 'running':
    case 'verifying':
      return null
    case 'proposed':
    case 'approved':
    case 'rejected':
      return exitCode.proposed
    case 'no-change':
      return exitCode.noChange
    case 'failed':
      return exitCode.failed
    case 'cancelled':
      return exitCode.cancelled
  }
}
