/** An event of a job as one line for a person; null where there is nothing to say. */
import type { JobEventBody, Step } from '../../../server/protocol/runner.ts'
import { duration } from '../terminal/duration.ts'

/** Events that are shown otherwise: the log is printed, the end is said with the job. */
type Described = Exclude<JobEventBody, { type: 'log' | 'ended' }>

export const stepName = (step: Step): string => {
  switch (step) {
    case 'setup':
      return 'setup'
    case 'clone':
      return 'clone'
    case 'agent':
      return 'agent'
    case 'collect':
      return 'collect the work'
    case 'push':
      return 'push the proposal'
    case 'verify':
      return 'verify'
  }
}

const testsOf = (against: 'proposal' | 'base-tests'): string =>
  against === 'proposal' ? 'The base’s test command on this commit' : 'The base’s own tests on this commit'

export const describeEvent = (event: Described): string | null => {
  switch (event.type) {
    case 'container':
      return null
    case 'step':
      if (event.status === 'started') return `▸ ${stepName(event.step)}`
      return event.exit === 0
        ? `✓ ${stepName(event.step)}, ${duration(event.ms)}`
        : `✗ ${stepName(event.step)} ended with ${event.exit ?? 'no exit code'}, ${duration(event.ms)}`
    case 'dropped':
      return `… ${event.bytes} bytes of this log were too many and are not kept`
    case 'egress':
      return event.allowed ? null : `✗ refused a connection to ${event.host}:${event.port}: ${event.why}`
    case 'collected':
      return `  ${event.commits} ${event.commits === 1 ? 'commit' : 'commits'}, up to ${event.head}`
    case 'salvaged':
      return `  a patch of ${event.bytes} bytes was saved of what the agent had written`
    case 'pushed':
      return `  ${event.ref} is ${event.commit}`
    case 'tested': {
      const why = event.why === null ? '' : `: ${event.why}`
      switch (event.result) {
        case 'passed':
          return `✓ ${testsOf(event.against)} ended 0${why}`
        case 'failed':
          return `✗ ${testsOf(event.against)} ended with ${event.exit ?? 'no exit code'}${why}`
        case 'not-run':
          return `- ${testsOf(event.against)}: not run${why}`
      }
    }
  }
}
