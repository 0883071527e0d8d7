/** A job's page while the agent works: state, steps and log follow the forge. */
import { followEvents } from './events.js'
import { logView } from './log-view.js'
import { stepView } from './step-view.js'

/**
 * @param {ParentNode} root
 * @param {string} state
 * @returns {boolean} whether the page has a line for this state
 */
const showState = (root, state) => {
  const lines = [...root.querySelectorAll('[data-state]')]
  const known = lines.some((line) => line.getAttribute('data-state') === state)
  if (known)
    for (const line of lines) line.toggleAttribute('hidden', line.getAttribute('data-state') !== state)
  return known
}

/**
 * Follows the job of this section. Once it is over, the page is loaded again: the proposal is there.
 * @param {HTMLElement} section the element with `data-live`
 */
export const followJob = (section) => {
  const { live: url = '', after = '' } = section.dataset
  const log = section.querySelector('[data-log]')
  const toggle = section.querySelector('[data-follow]')
  const connection = section.querySelector('[data-connection]')
  if (!connection) return
  // An agent elsewhere has no log.
  const takeChunk = log instanceof HTMLElement && toggle instanceof HTMLElement ? logView(log, toggle) : null
  const takeStep = stepView(document)
  const stop = followEvents(url, after, {
    job: (event) => {
      if (event.type === 'log') takeChunk?.(event)
      else if (event.type === 'step') takeStep(event)
    },
    state: ({ state }) => {
      if (showState(document, state)) return
      stop()
      location.reload()
    },
    connection: (words) => {
      connection.textContent = words
    },
  })
  addEventListener('pagehide', stop)
}
