/** A log's chunks put together into lines. Runs on the forge and in the browser. */

/** @typedef {{ step: string, stream: 'out' | 'err', text: string }} Chunk */
/** @typedef {Chunk & { cut: number, open: boolean }} LogLine `cut`: characters left out; `open`: not ended yet */

/** The most lines that a page holds. */
export const maxLines = 5000

const maxLineLength = 4000

/**
 * Adds a piece without line feeds to the last line, where that is open and of the same origin, or as a new one.
 * @param {LogLine[]} lines
 * @param {Chunk} piece
 * @param {boolean} open
 */
const addPiece = (lines, { step, stream, text }, open) => {
  const last = lines.at(-1)
  const continues = last?.open === true && last.step === step && last.stream === stream
  const whole = continues ? last.text + text : text
  const kept = whole.slice(0, maxLineLength)
  const cut = (continues ? last.cut : 0) + whole.length - kept.length
  if (continues) lines.pop()
  lines.push({ step, stream, text: kept, cut, open })
}

/**
 * Adds a chunk, which may begin and end anywhere in a line.
 * @param {LogLine[]} lines changed in place
 * @param {Chunk} chunk
 */
export const addChunk = (lines, { step, stream, text }) => {
  const pieces = text.split('\n')
  const rest = pieces.pop() ?? ''
  for (const piece of pieces) addPiece(lines, { step, stream, text: piece }, false)
  if (rest !== '') addPiece(lines, { step, stream, text: rest }, true)
}
