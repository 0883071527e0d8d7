/** One line at the bottom of a terminal that is drawn again and again while other lines go by above it. */
import { fit, width } from './width.ts'

export type Screen = {
  write(text: string): boolean
  readonly isTTY?: boolean
  readonly columns?: number
}

export type StatusLine = {
  /** Draws the text, which holds no control characters, in place of the one before. */
  show(text: string): void
  /** Takes the line off the screen and leaves the cursor where it began. */
  hide(): void
  /** Draws again what `hide` took off. */
  redraw(): void
}

const defaultColumns = 80

/** The rows that a line of this width takes after the terminal has been made this narrow. */
export const rowsOf = (drawn: number, columns: number): number => Math.max(1, Math.ceil(drawn / columns))

/** On a screen that is no terminal, or one that cannot move its cursor, nothing is ever drawn. */
export const createStatusLine = (screen: Screen, term: string | undefined): StatusLine => {
  let text: string | null = null
  let drawn: number | null = null
  if (screen.isTTY !== true || term === undefined || term === 'dumb') {
    return { show: () => undefined, hide: () => undefined, redraw: () => undefined }
  }
  const columns = () => screen.columns || defaultColumns
  const erase = (): string => {
    if (drawn === null) return ''
    const up = rowsOf(drawn, columns()) - 1
    drawn = null
    return `\r${up > 0 ? `\x1b[${up}A` : ''}\x1b[J`
  }
  const draw = (): void => {
    if (text === null) return
    const before = erase()
    // One column stays free: a full row would make some terminals wrap.
    const line = fit(text, columns() - 1)
    drawn = width(line)
    screen.write(before + line)
  }
  return {
    show: (next) => {
      text = next
      draw()
    },
    hide: () => {
      const sequence = erase()
      if (sequence !== '') screen.write(sequence)
    },
    redraw: draw,
  }
}
