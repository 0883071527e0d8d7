/** The steps as they begin and end. */
import { duration } from './duration.js'

/** @import { JobEvent } from '../../server/protocol/runner.ts' */

const tickMs = 1000

/**
 * A step that has not begun when a later one does is not needed, such as the setup of a repository without one.
 * @param {Element} begun
 */
const skipBefore = (begun) => {
  for (let item = begun.previousElementSibling; item; item = item.previousElementSibling) {
    const note = item.querySelector('[data-note]')
    if (!(item instanceof HTMLElement) || !note || item.dataset['status'] !== 'waiting') continue
    item.dataset['status'] = 'skipped'
    note.textContent = 'skipped'
  }
}

/**
 * Returns what takes the events of steps. A running step counts its seconds.
 * @param {ParentNode} root
 * @returns {(event: Extract<JobEvent, { type: 'step' }>) => void}
 */
export const stepView = (root) => {
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let clock
  return (event) => {
    const item = root.querySelector(`[data-step="${event.step}"]`)
    const note = item?.querySelector('[data-note]')
    if (!(item instanceof HTMLElement) || !note) return
    clearInterval(clock)
    if (event.status === 'started') {
      const began = performance.now()
      item.dataset['status'] = 'running'
      skipBefore(item)
      note.textContent = 'running'
      clock = setInterval(() => {
        note.textContent = duration(Math.floor((performance.now() - began) / tickMs) * tickMs)
      }, tickMs)
    } else {
      item.dataset['status'] = event.exit === 0 ? 'done' : 'failed'
      note.textContent = duration(event.ms)
    }
  }
}
