/** A job's state as a badge and as a sentence. */
import { isActive, type JobState, jobState } from '../server/protocol/jobs.ts'
import { type Html, html } from './html.ts'

const nameOf = (state: JobState): string => {
  switch (state) {
    case 'open':
      return 'Open'
    case 'queued':
      return 'Queued'
    case 'starting':
      return 'Starting'
    case 'running':
      return 'Running'
    case 'verifying':
      return 'Verifying'
    case 'proposed':
      return 'Ready for review'
    case 'approved':
      return 'Approved'
    case 'rejected':
      return 'Rejected'
    case 'no-change':
      return 'No change'
    case 'failed':
      return 'Failed'
    case 'cancelled':
      return 'Cancelled'
  }
}

const sentenceOf = (state: JobState): string => {
  switch (state) {
    case 'open':
      return 'Waiting for an agent elsewhere to push its proposal.'
    case 'queued':
      return 'Waiting for a runner.'
    case 'starting':
      return 'The runner is making the sandbox.'
    case 'running':
      return 'The agent is at work in its sandbox. Nothing leaves it but a proposal.'
    case 'verifying':
      return 'The proposal has arrived. The base’s own test command is running on it.'
    case 'proposed':
      return 'The agent is done. Nothing has been merged; read the proposal and decide.'
    case 'approved':
      return 'The proposal was promoted to a branch.'
    case 'rejected':
      return 'The proposal was turned down.'
    case 'no-change':
      return 'The agent ended and had changed nothing.'
    case 'failed':
      return 'The job ended without a proposal.'
    case 'cancelled':
      return 'The job was cancelled.'
  }
}

export const badge = (state: JobState): Html =>
  html`<span class="badge state-${state}">${nameOf(state)}</span>`

/** Badge and sentence. `explanation` says what went wrong, where something did. */
export const stateLine = (state: JobState, explanation: string | null): Html =>
  html`${badge(state)} <span>${explanation ?? sentenceOf(state)}</span>`

const live = jobState.options.filter(isActive)

/** The lines of all states that a live page can pass through; the script shows the one that is true. */
export const liveStateLines = (now: JobState, explanation: string | null): Html =>
  html`${live.map((state) =>
    state === now
      ? html`<span data-state="${state}">${stateLine(state, explanation)}</span>`
      : html`<span data-state="${state}" hidden>${stateLine(state, null)}</span>`,
  )}`
