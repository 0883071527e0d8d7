/** What an attempt ran on, what it used, and what it was kept from. */
import type { Attempt } from '../server/protocol/api.ts'
import type { JobId, RepoName } from '../server/protocol/ids.ts'
import type { JobEvent } from '../server/protocol/runner.ts'
import { duration } from './browser/duration.js'
import { type Html, html } from './html.ts'
import { count, size } from './measure.ts'
import { paths } from './paths.ts'
import { visible } from './visible.ts'

const fact = (name: string, value: Html | string): Html => html`<dt>${name}</dt><dd>${value}</dd>`

const usage = ({ used }: Attempt): Html | false =>
  used !== null &&
  html`${fact('Wall clock', duration(used.wallMs))}${fact('CPU', duration(used.cpuMs))}${fact('Peak memory', size(used.peakBytes))}${fact('Disk', size(used.diskBytes))}`

const salvaged = (repo: RepoName, job: JobId, { number, salvagedBytes }: Attempt): Html | false =>
  salvagedBytes !== null &&
  html`<p>The agent was stopped before it was done. <a href="${paths.salvaged(repo, job, number)}" download="job-${job}-${number}.patch">What it had written, as a patch</a> (${size(salvagedBytes)}), is not a proposal: nothing checked it.</p>`

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

const egress = (refusals: readonly Refusal[]): Html | false =>
  refusals.length > 0 &&
  html`<section class="side attention"><h2>Refused connections</h2><p class="hint">The sandbox tried to reach what it may not.</p>
<ul class="flags">${refusals.map(({ host, why, times }) => html`<li><code>${visible(host)}</code> ${visible(why)}${times > 1 && html` <span class="hint">${count(times, 'time')}</span>`}</li>`)}</ul></section>`

/** The part beside the main column that says how it was made. */
export const runFacts = (repo: RepoName, job: JobId, attempt: Attempt, events: readonly JobEvent[]): Html =>
  html`${egress(refusalsOf(events))}
<section class="side"><h2>How it ran</h2>
${salvaged(repo, job, attempt)}
<dl class="facts">${fact('Attempt', String(attempt.number))}${usage(attempt)}${
    attempt.image !== null &&
    fact('Image', html`<code class="id" title="${attempt.image}">${attempt.image.slice(7, 19)}</code>`)
  }${attempt.containers.map(({ purpose, id }) => fact(`${purpose} container`, html`<code class="id" title="${id}">${id.slice(0, 12)}</code>`))}</dl>
</section>`
