/** What an attempt ran on, what it used, and what it was kept from. */
import type { Attempt } from '../server/protocol/api.ts'
import type { JobId, RepoName } from '../server/protocol/ids.ts'
import type { JobEvent } from '../server/protocol/runner.ts'
import { duration } from './browser/duration.js'
import { type Html, html } from './html.ts'
import { count, moment, size } from './measure.ts'
import { paths } from './paths.ts'
import { visible } from './visible.ts'

const fact = (name: string, value: Html | string): Html => html`<dt>${name}</dt><dd>${value}</dd>`

const usage = ({ used }: Attempt): Html | false =>
  used !== null &&
  html`${fact('Wall clock', duration(used.wallMs))}${fact('CPU', duration(used.cpuMs))}${fact('Peak memory', size(used.peakBytes))}${fact('Disk', size(used.diskBytes))}`

/** The way to what a stopped agent had written. */
export const salvagedPatch = (repo: RepoName, job: JobId, { number, salvagedBytes }: Attempt): Html | false =>
  salvagedBytes !== null &&
  html`<p class="note">The agent was stopped before it was done. <a href="${paths.salvaged(repo, job, number)}" download="job-${job}-${number}.patch">What it had written, as a patch</a> (${size(salvagedBytes)}), is not a proposal: nothing checked it.</p>`

type Refusal = { readonly host: string; readonly why: string; readonly times: number }

/** Refused connections, each host once. */
const refusalsOf = (events: readonly JobEvent[]): Refusal[] => {
  const refusals = new Map<string, Refusal>()
  for (const event of events) {
    if (event.type !== 'egress' || event.allowed) continue
    const host = `${event.host}:${event.port}`
    const key = `${host} ${event.why}`
    refusals.set(key, { host, why: event.why, times: (refusals.get(key)?.times ?? 0) + 1 })
  }
  return [...refusals.values()]
}

/** Where the sandbox wanted to go and was not let. */
export const refusedConnections = (events: readonly JobEvent[]): Html | false => {
  const refusals = refusalsOf(events)
  return (
    refusals.length > 0 &&
    html`<section class="side"><h2>Refused connections</h2><ul class="flags">${refusals.map(
      ({ host, why, times }) =>
        html`<li><code>${visible(host)}</code> ${visible(why)}${times > 1 && html` <span class="hint">(${count(times, 'time')})</span>`}</li>`,
    )}</ul></section>`
  )
}

/** Where an attempt ran, and what it used. */
export const runFacts = (attempt: Attempt): Html =>
  html`<details class="section"><summary><h2>How it ran</h2></summary><dl class="facts">${fact('Attempt', String(attempt.number))}${
    attempt.startedAt !== null && fact('Started', moment(attempt.startedAt))
  }${attempt.endedAt !== null && fact('Ended', moment(attempt.endedAt))}${usage(attempt)}${
    attempt.image !== null && fact('Image', html`<code>${attempt.image}</code>`)
  }${attempt.containers.map(({ purpose, id }) => fact(`Container: ${purpose}`, html`<code class="id" title="${id}">${id.slice(0, 12)}</code>`))}</dl></details>`
