/** An attempt's log: what has been said so far, and where its continuation comes from. */
import type { JobId, RepoName } from '../server/protocol/ids.ts'
import type { JobEvent } from '../server/protocol/runner.ts'
import { addChunk, type LogLine, maxLines } from './browser/log-lines.js'
import { terminalLine } from './browser/terminal-line.js'
import { type Html, html } from './html.ts'
import { count, size } from './measure.ts'
import { paths } from './paths.ts'

const line = ({ step, stream, text, cut }: LogLine): Html =>
  html`<span class="log-line ${stream}" data-origin="${step}">${terminalLine(text).map((part) =>
    part.classes === '' ? part.text : html`<span class="${part.classes}">${part.text}</span>`,
  )}${cut > 0 && html`<span class="cut"> … ${count(cut, 'more character')}</span>`}\n</span>`

type Log = {
  readonly lines: readonly LogLine[]
  readonly omittedLines: number
  readonly droppedBytes: number
}

const logOf = (events: readonly JobEvent[]): Log => {
  const lines: LogLine[] = []
  let droppedBytes = 0
  for (const event of events) {
    if (event.type === 'log') addChunk(lines, event)
    else if (event.type === 'dropped') droppedBytes += event.bytes
  }
  const omittedLines = Math.max(0, lines.length - maxLines)
  return { lines: lines.slice(omittedLines), omittedLines, droppedBytes }
}

const notes = ({ omittedLines, droppedBytes }: Log): Html =>
  html`${
    omittedLines > 0 && html`<p class="hint">The first ${count(omittedLines, 'line')} are left out here.</p>`
  }${droppedBytes > 0 && html`<p class="hint">The runner dropped ${size(droppedBytes)} past the log’s limit.</p>`}`

/** The log of an attempt that is over. */
export const finishedLog = (events: readonly JobEvent[], open: boolean): Html => {
  const log = logOf(events)
  const body = html`${notes(log)}<pre class="log" tabindex="0" role="region" aria-label="Log">${log.lines.map(line)}</pre>`
  const title = html`<summary><h2>Log</h2> <span class="hint">${log.lines.length === 0 ? 'nothing was printed' : count(log.lines.length, 'line')}</span></summary>`
  return open
    ? html`<details class="section" open>${title}${body}</details>`
    : html`<details class="section">${title}${body}</details>`
}

/** The log of an attempt at work. The script follows it from the event named in `data-after` on. */
export const liveLog = (repo: RepoName, job: JobId, attempt: number, events: readonly JobEvent[]): Html => {
  const log = logOf(events)
  return html`<section class="section" data-live="${paths.events(repo, job)}" data-after="${attempt}.${events.at(-1)?.seq ?? 0}">
<div class="section-head"><h2>Log</h2><span class="connection" role="status" data-connection></span>
<label class="check" data-follow hidden><input type="checkbox" checked> Follow</label></div>
<noscript><p class="hint">Reload this page to see more; with JavaScript it follows by itself.</p></noscript>
${notes(log)}
<pre class="log" tabindex="0" role="log" aria-live="off" aria-label="Log" data-log>${log.lines.map(line)}</pre>
</section>`
}
