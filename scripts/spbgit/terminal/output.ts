/**
 * All that `spbgit` writes. Results go to stdout and messages to stderr, so that a pipe gets results alone.
 * Every line is cleaned here, once more or for the first time: nothing from a forge reaches the terminal as it came.
 */
import { styleText } from 'node:util'
import { cleanText } from './clean.ts'
import { createStatusLine, type Screen } from './status-line.ts'

type Tone = Exclude<Parameters<typeof styleText>[0], readonly unknown[]>

export type Output = {
  /** A line of the result. */
  line(text: string, tone?: Tone): void
  /** A message to the person. */
  say(text: string, tone?: Tone): void
  /** A line of JSON, as a result. */
  json(value: unknown): void
  /** The line that is drawn again below everything else; null takes it away. */
  status(text: string | null): void
  /** Columns of a table: null where stdout is no terminal, and nothing is to be cut. */
  readonly columns: number | null
}

/** JSON in which no character means anything to a terminal. */
export const safeJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** `term`: the environment's TERM. */
export const createOutput = (
  stdout: NodeJS.WritableStream & Screen,
  stderr: NodeJS.WritableStream & Screen,
  term: string | undefined,
): Output => {
  const status = createStatusLine(stderr, term)
  let shown = false
  const write = (stream: NodeJS.WritableStream, text: string, tone?: Tone) => {
    const cleaned = cleanText(text)
    if (shown) status.hide()
    stream.write(`${tone === undefined ? cleaned : styleText(tone, cleaned, { stream })}\n`)
    if (shown) status.redraw()
  }
  return {
    line: (text, tone) => write(stdout, text, tone),
    say: (text, tone) => write(stderr, text, tone),
    json: (value) => write(stdout, safeJson(value)),
    status: (text) => {
      shown = text !== null
      if (text === null) status.hide()
      else status.show(text)
    },
    columns: stdout.isTTY === true ? stdout.columns || null : null,
  }
}
