/** How many columns a terminal gives to a text. */

const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\p{Emoji_Presentation}]|\ufe0f/u

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' })

const widthOf = (grapheme: string): number => (wide.test(grapheme) ? 2 : 1)

/** Columns of a line without control characters. */
export const width = (line: string): number => {
  let columns = 0
  for (const { segment } of graphemes.segment(line)) columns += widthOf(segment)
  return columns
}

/** The line cut to so many columns, with an ellipsis where something was cut. */
export const fit = (line: string, columns: number): string => {
  if (line.length <= columns && width(line) <= columns) return line
  let kept = ''
  let used = 1
  for (const { segment } of graphemes.segment(line)) {
    used += widthOf(segment)
    if (used > columns) break
    kept += segment
  }
  return columns < 1 ? '' : `${kept.trimEnd()}…`
}
