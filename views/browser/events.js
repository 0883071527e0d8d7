/** A job's events from the forge, without a gap and without a repetition. */
/** @import { JobEvent } from '../../server/protocol/runner.ts' */
/** @import { StateEvent } from '../../server/protocol/api.ts' */

const firstWaitMs = 1000
const longestWaitMs = 30_000

/**
 * @typedef {object} Listener
 * @property {(event: JobEvent & { attempt: number }) => void} job
 * @property {(event: StateEvent) => void} state
 * @property {(words: string) => void} connection
 */

/**
 * Follows the stream until `stop`. The browser reconnects by itself after a cut; after an error answer it
 * gives up, so that is tried again here, ever more slowly.
 * @param {string} url
 * @param {string} after `<attempt>.<seq>` of the last event that is known
 * @param {Listener} listener
 * @returns {() => void} stop
 */
export const followEvents = (url, after, listener) => {
  let [attempt = 0, seq = 0] = after.split('.').map(Number)
  let waitMs = firstWaitMs
  /** @type {EventSource} */
  let source
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let retry

  const open = () => {
    source = new EventSource(`${url}?after=${attempt}.${seq}`)
    source.addEventListener('open', () => {
      waitMs = firstWaitMs
      listener.connection('Live')
    })
    source.addEventListener('job', (/** @type {MessageEvent<string>} */ { data }) => {
      const event = /** @type {JobEvent & { attempt: number }} */ (JSON.parse(data))
      if (event.attempt < attempt || (event.attempt === attempt && event.seq <= seq)) return
      attempt = event.attempt
      seq = event.seq
      listener.job(event)
    })
    source.addEventListener('state', (/** @type {MessageEvent<string>} */ { data }) =>
      listener.state(/** @type {StateEvent} */ (JSON.parse(data))),
    )
    source.addEventListener('error', () => {
      listener.connection('Connection lost, trying again…')
      if (source.readyState !== EventSource.CLOSED) return
      retry = setTimeout(open, waitMs)
      waitMs = Math.min(waitMs * 2, longestWaitMs)
    })
  }

  listener.connection('Connecting…')
  open()
  return () => {
    clearTimeout(retry)
    source.close()
  }
}
