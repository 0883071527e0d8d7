/** Reads `text/event-stream` as the HTML standard has it (9.2.6), within a bound of memory. */
import { Failure } from '../failure.ts'

/** `id`: the last id the stream has set so far, the empty string before the first. */
export type ServerSentEvent = { readonly event: string; readonly data: string; readonly id: string }

export type StreamState = {
  readonly rest: string
  readonly afterReturn: boolean
  readonly event: string
  readonly data: string | null
  readonly id: string
}

export const streamStart = (lastId: string): StreamState => ({
  rest: '',
  afterReturn: false,
  event: '',
  data: null,
  id: lastId,
})

/** The most characters that one event may take before its blank line. */
const maxEventChars = 1024 * 1024

const afterLine = (state: StreamState, line: string): StreamState => {
  const colon = line.indexOf(':')
  const field = colon < 0 ? line : line.slice(0, colon)
  const value = colon < 0 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)
  if (field === 'event') return { ...state, event: value }
  if (field === 'id') return value.includes('\0') ? state : { ...state, id: value }
  if (field !== 'data') return state
  return { ...state, data: state.data === null ? value : `${state.data}\n${value}` }
}

/** Takes the next characters of the stream; gives the events that they complete. */
export const readEvents = (
  start: StreamState,
  chars: string,
): { state: StreamState; events: ServerSentEvent[] } => {
  let state = start
  let rest = state.rest + (state.afterReturn && chars.startsWith('\n') ? chars.slice(1) : chars)
  let afterReturn = chars === '' && state.afterReturn
  const events: ServerSentEvent[] = []
  for (let end = rest.search(/[\r\n]/); end >= 0; end = rest.search(/[\r\n]/)) {
    const line = rest.slice(0, end)
    const width = rest[end] === '\r' && rest[end + 1] === '\n' ? 2 : 1
    afterReturn = rest[end] === '\r' && end + 1 === rest.length
    rest = rest.slice(end + width)
    if (line !== '') state = afterLine(state, line)
    else {
      if (state.data !== null) {
        events.push({ event: state.event || 'message', data: state.data, id: state.id })
      }
      state = { ...state, event: '', data: null }
    }
  }
  if (rest.length + (state.data?.length ?? 0) > maxEventChars) {
    throw new Failure('answer-too-large', 'The forge sent an event of more than 1 MiB.')
  }
  return { state: { ...state, rest, afterReturn }, events }
}

/** The events of a byte stream. An event that the end of the stream cuts is not one. */
export async function* serverSentEvents(
  bytes: AsyncIterable<Uint8Array>,
  lastId = '',
): AsyncGenerator<ServerSentEvent> {
  const decoder = new TextDecoder()
  let state = streamStart(lastId)
  for await (const chunk of bytes) {
    const read = readEvents(state, decoder.decode(chunk, { stream: true }))
    state = read.state
    yield* read.events
  }
}
