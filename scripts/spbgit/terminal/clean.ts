/**
 * Makes text from elsewhere safe to show. A log can hold escape sequences that rewrite the screen, set the
 * clipboard or make the terminal type; and characters that reorder or hide what is beside them.
 * Sequences as in ECMA-48, 5.4 and 5.6. Newline and tab stay; a lone carriage return becomes a newline.
 */

type Mode = 'text' | 'escape' | 'csi' | 'string' | 'string-escape'

/** Where the cleaner stands between two pieces of one text. */
export type CleanState = { readonly mode: Mode; readonly afterReturn: boolean }

export const cleanStart: CleanState = { mode: 'text', afterReturn: false }

/** Characters that change the order of others or are not seen: Unicode's bidirectional controls and tags. */
const reordering = /[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u

const modeAfterEscape = (char: string): Mode => {
  if (char === '[') return 'csi'
  if (']PX^_'.includes(char)) return 'string'
  return char >= ' ' && char <= '/' ? 'escape' : 'text'
}

const modeOfControl = (char: string): Mode => {
  if (char === '\x1b') return 'escape'
  if (char === '\x9b') return 'csi'
  return '\x90\x98\x9d\x9e\x9f'.includes(char) ? 'string' : 'text'
}

const isControl = (char: string): boolean => char < ' ' || (char >= '\x7f' && char <= '\x9f')

/** The mode inside a sequence; null where the character is no part of it and must be read as text. */
const modeInside = (mode: Exclude<Mode, 'text'>, char: string): Mode | null => {
  switch (mode) {
    case 'escape':
      return isControl(char) ? null : modeAfterEscape(char)
    case 'csi':
      if (isControl(char) || char > '~') return null
      return char < '@' ? 'csi' : 'text'
    case 'string':
      // A string that nobody ends must not hide the lines after it.
      if (char === '\n' || char === '\r') return null
      if (char === '\x07' || char === '\x9c') return 'text'
      return char === '\x1b' ? 'string-escape' : 'string'
    case 'string-escape':
      return char === '\\' ? 'text' : modeInside('escape', char)
  }
}

/** Cleans the next piece. Cutting a text anywhere between characters changes nothing in what comes out. */
export const clean = (state: CleanState, piece: string): { state: CleanState; text: string } => {
  let { mode, afterReturn } = state
  let text = ''
  for (const char of piece) {
    if (mode !== 'text') {
      const next = modeInside(mode, char)
      mode = next ?? 'text'
      if (next !== null) continue
    }
    if (char === '\n' && afterReturn) {
      afterReturn = false
      continue
    }
    afterReturn = char === '\r'
    if (char === '\n' || char === '\r') text += '\n'
    else if (char === '\t') text += char
    else if (isControl(char)) mode = modeOfControl(char)
    else if (!reordering.test(char)) text += char
  }
  return { state: { mode, afterReturn }, text }
}

/** A whole text, cleaned. */
export const cleanText = (text: string): string => clean(cleanStart, text).text

/** A text for one line: cleaned, with every run of white space as one space. */
export const cleanLine = (text: string): string => cleanText(text).replace(/\s+/g, ' ').trim()
