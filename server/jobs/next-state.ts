/** How an event of the runner moves an attempt's state. Pure. */
import { isActive, type JobState, type Reason } from '../protocol/jobs.ts'
import type { JobEvent, JobEventBody } from '../protocol/runner.ts'

export type Progress = Readonly<{ state: JobState; reason: Reason | null }>

/** The end that a runner reports. What was pushed stays a proposal whatever happens after it, unless a person cancels. */
const ending = (event: Extract<JobEventBody, { type: 'ended' }>, proposed: boolean): Progress => {
  switch (event.outcome) {
    case 'proposed':
      return proposed ? { state: 'proposed', reason: null } : { state: 'failed', reason: 'push-refused' }
    case 'no-change':
      return { state: proposed ? 'proposed' : 'no-change', reason: null }
    case 'failed':
      return { state: proposed ? 'proposed' : 'failed', reason: event.reason }
    case 'cancelled':
      return { state: 'cancelled', reason: 'cancelled' }
  }
}

/** The state after the event; `proposed`: whether the attempt's proposal has arrived. A final state stays. */
export const nextState = (now: Progress, event: JobEvent, proposed: boolean): Progress => {
  if (!isActive(now.state)) return now
  switch (event.type) {
    case 'step':
      if (event.status !== 'started') return now
      return { state: event.step === 'verify' ? 'verifying' : 'running', reason: null }
    case 'ended':
      return ending(event, proposed)
    case 'container':
    case 'log':
    case 'dropped':
    case 'egress':
    case 'collected':
    case 'salvaged':
    case 'pushed':
    case 'tested':
      return now
  }
}
