/** A line of a program's output as a terminal would leave it. Runs on the forge and in the browser. */
import { splitHidden } from './hidden-characters.js'

/** @typedef {{ text: string, classes: string }} Segment */

// ECMA-48. A control string without its end stays: hiding the rest of a line would hide it from the reader.
const controlSequence = String.raw`\x1b\[(?<parameters>[0-?]*)[ -/]*(?<final>[@-~])`
const controlString = String.raw`\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)`
const shortEscape = String.raw`\x1b[ -/]*[0-OQ-WYZ\\\x60-~]`
const sequence = new RegExp([controlSequence, controlString, shortEscape].join('|'), 'g')

const colours = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

/** @typedef {{ bold: boolean, faint: boolean, colour: string | null }} Style */

/** @type {Style} */
const plain = { bold: false, faint: false, colour: null }

/**
 * Bold, faint and the eight foreground colours; the rest of SGR changes nothing here.
 * @param {Style} style
 * @param {string} parameters
 * @returns {Style}
 */
const applySgr = (style, parameters) => {
  let next = style
  for (const code of parameters.split(';').map(Number)) {
    if (code === 0) next = plain
    else if (code === 1) next = { ...next, bold: true }
    else if (code === 2) next = { ...next, faint: true }
    else if (code === 22) next = { ...next, bold: false, faint: false }
    else if (code === 38 || code === 48) return next
    else if (code === 39) next = { ...next, colour: null }
    else if (code >= 30 && code <= 37) next = { ...next, colour: colours[code - 30] ?? null }
    else if (code >= 90 && code <= 97) next = { ...next, colour: colours[code - 90] ?? null }
  }
  return next
}

/** @param {Style} style */
const classesOf = ({ bold, faint, colour }) =>
  [bold && 'ansi-bold', faint && 'ansi-faint', colour !== null && `ansi-${colour}`].filter(Boolean).join(' ')

/**
 * Visible text with class names for its colours. Escape sequences are gone, a carriage return has
 * overwritten what stood before it, and other hidden characters stand by name with class `hidden-char`.
 * @param {string} line without its line feed
 * @returns {Segment[]}
 */
export const terminalLine = (line) => {
  const ended = line.replace(/\r+$/, '')
  const shown = ended.slice(ended.lastIndexOf('\r') + 1)
  /** @type {Segment[]} */
  const segments = []
  let style = plain
  /** @param {string} text */
  const push = (text) => {
    for (const part of splitHidden(text))
      segments.push({ text: part.text, classes: part.hidden ? 'hidden-char' : classesOf(style) })
  }
  let from = 0
  for (const match of shown.matchAll(sequence)) {
    push(shown.slice(from, match.index))
    if (match.groups?.['final'] === 'm') style = applySgr(style, match.groups['parameters'] ?? '')
    from = match.index + match[0].length
  }
  push(shown.slice(from))
  return segments
}
