/** Makes whole, clean lines of a log that comes in pieces. */
import { clean, cleanStart } from './clean.ts'

/** A line that nobody ends is shown in parts of this many characters. */
const maxLineChars = 4096

/** Pieces in, lines out. `end` gives what is left, if anything. */
export const createLogLines = (): { add(piece: string): string[]; end(): string[] } => {
  let state = cleanStart
  let rest = ''
  return {
    add: (piece) => {
      const cleaned = clean(state, piece)
      state = cleaned.state
      const lines = (rest + cleaned.text).split('\n')
      rest = lines.pop() ?? ''
      while (rest.length > maxLineChars) {
        lines.push(rest.slice(0, maxLineChars))
        rest = rest.slice(maxLineChars)
      }
      return lines
    },
    end: () => {
      const last = rest
      rest = ''
      state = cleanStart
      return last === '' ? [] : [last]
    },
  }
}
