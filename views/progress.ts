/** An attempt's steps, from its events. */
import type { JobEvent, Step } from '../server/protocol/runner.ts'
import { duration } from './browser/duration.js'
import { type Html, html } from './html.ts'

type StepStatus = 'waiting' | 'running' | 'done' | 'failed' | 'skipped'

export type StepProgress = {
  readonly step: Step
  readonly status: StepStatus
  readonly ms: number | null
}

const order: readonly Step[] = ['clone', 'setup', 'agent', 'collect', 'push', 'verify']

/**
 * How far each step is. One that never began was skipped where a later one began or the attempt is over, and is
 * still waiting otherwise.
 */
export const progressOf = (events: readonly JobEvent[], live: boolean): StepProgress[] => {
  const reached = new Map<Step, StepProgress>()
  for (const event of events) {
    if (event.type !== 'step') continue
    const { step } = event
    if (event.status === 'started') reached.set(step, { step, status: live ? 'running' : 'failed', ms: null })
    else reached.set(step, { step, status: event.exit === 0 ? 'done' : 'failed', ms: event.ms })
  }
  const last = order.findLastIndex((step) => reached.has(step))
  return order.map(
    (step, index) =>
      reached.get(step) ?? { step, status: live && index > last ? 'waiting' : 'skipped', ms: null },
  )
}

const nameOf = (step: Step): string => {
  switch (step) {
    case 'clone':
      return 'Clone'
    case 'setup':
      return 'Set up'
    case 'agent':
      return 'Agent'
    case 'collect':
      return 'Collect'
    case 'push':
      return 'Push'
    case 'verify':
      return 'Verify'
  }
}

/** The steps in their order. The script of a live page finds them by `data-step`. */
export const stepList = (steps: readonly StepProgress[]): Html =>
  html`<ol class="steps" aria-label="Steps">${steps.map(
    ({ step, status, ms }) =>
      html`<li data-step="${step}" data-status="${status}"><span class="step-name">${nameOf(step)}</span> <span class="step-note" data-note>${ms === null ? status : duration(ms)}</span></li>`,
  )}</ol>`
