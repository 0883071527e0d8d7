/** A running job on a terminal, or as lines of JSON: its log, its steps, and where it is now. */
import type { AgentJob } from '../../../server/protocol/api.ts'
import type { JobEventBody } from '../../../server/protocol/runner.ts'
import type { Followed } from '../forge/follow-job.ts'
import { clock, duration } from '../terminal/duration.ts'
import { createLogLines } from '../terminal/log-lines.ts'
import type { Output } from '../terminal/output.ts'
import { describeEvent, stepName } from './describe-event.ts'
import { stateName } from './describe-job.ts'

export type JobView = {
  show(followed: Followed): void
  /** Draws the progress line again, with the time that has passed. */
  tick(): void
  /** Shows what is left of the log and takes the progress line away. */
  close(): void
}

/** Begins with the job as it was created; `json`: one line of JSON an event on stdout, and no log. */
export const createJobView = (output: Output, job: AgentJob, json: boolean): JobView => {
  const began = performance.now()
  const log = { out: createLogLines(), err: createLogLines() }
  let now = stateName(job.state)
  let lost = false

  const tick = () =>
    output.status(`Job ${job.id}: ${now}, ${clock(performance.now() - began)}. Ctrl-C leaves it running.`)
  const print = (lines: string[]) => {
    for (const line of lines) output.line(line)
  }
  const endLog = () => print([...log.out.end(), ...log.err.end()])

  const showEvent = (event: JobEventBody): void => {
    if (event.type === 'step') now = event.status === 'started' ? stepName(event.step) : now
    if (json || event.type === 'ended') return
    if (event.type === 'log') {
      print(log[event.stream].add(event.text))
      return
    }
    if (event.type === 'step') endLog()
    const described = describeEvent(event)
    if (described !== null) output.say(described, 'dim')
  }

  tick()
  return {
    tick,
    show: (followed) => {
      if (lost && followed.kind !== 'lost') output.say('The forge is there again.')
      switch (followed.kind) {
        case 'event':
          if (json) output.json(followed.event)
          showEvent(followed.event)
          break
        case 'state':
          if (json) output.json(followed.state)
          if (followed.state.state !== 'running') now = stateName(followed.state.state)
          break
        case 'lost':
          if (!lost)
            output.say(
              `The connection was lost; the job goes on. Trying again in ${duration(followed.retryMs)}.`,
            )
      }
      lost = followed.kind === 'lost'
      tick()
    },
    close: () => {
      if (!json) endLog()
      output.status(null)
    },
  }
}
