/** The log as it grows: bounded, and following its end for as long as the reader is there. */
import { addChunk, maxLines } from './log-lines.js'
import { terminalLine } from './terminal-line.js'

/** @import { LogLine, Chunk } from './log-lines.js' */

const nearEndPixels = 24

/** @param {LogLine} line */
const lineElement = (line) => {
  const element = document.createElement('span')
  element.className = `log-line ${line.stream}`
  element.dataset['origin'] = line.step
  for (const { text, classes } of terminalLine(line.text)) {
    const part = document.createElement('span')
    part.className = classes
    part.textContent = text
    element.append(part)
  }
  element.append(line.cut > 0 ? ` … ${line.cut} more characters\n` : '\n')
  return element
}

/**
 * Returns what takes a chunk. Chunks of one frame are drawn together.
 * @param {HTMLElement} log
 * @param {HTMLElement} toggle the label with the box that says whether to follow
 * @returns {(chunk: Chunk) => void}
 */
export const logView = (log, toggle) => {
  /** @type {{ line: LogLine, element: HTMLElement } | null} */
  let last = null
  /** @type {Chunk[]} */
  let waiting = []
  const box = toggle.querySelector('input')
  toggle.hidden = false

  const toEnd = () => {
    if (box?.checked) log.scrollTop = log.scrollHeight
  }
  const draw = () => {
    const open = last?.line.open ? last : null
    const lines = open === null ? [] : [open.line]
    for (const chunk of waiting) addChunk(lines, chunk)
    waiting = []
    open?.element.remove()
    const shown = lines.slice(-maxLines)
    for (const line of shown) {
      const element = lineElement(line)
      log.append(element)
      last = { line, element }
    }
    while (log.childElementCount > maxLines) log.firstElementChild?.remove()
    toEnd()
  }

  log.addEventListener('scroll', () => {
    if (box) box.checked = log.scrollHeight - log.scrollTop - log.clientHeight < nearEndPixels
  })
  box?.addEventListener('change', toEnd)
  toEnd()
  return (chunk) => {
    if (waiting.push(chunk) === 1) requestAnimationFrame(draw)
  }
}
