/** From what a program prints to pieces of text that fit into events. */
import { StringDecoder } from 'node:string_decoder'

/** The most that a piece holds, in bytes of UTF-8. */
export const pieceBytes = 8192

export type LogText = {
  /** Takes bytes and gives the pieces that are full. */
  readonly add: (bytes: Buffer) => string[]
  /** Gives what is held back, unless it is the first part of a character. */
  readonly flush: () => string[]
  /** Gives all that is held back. */
  readonly end: () => string[]
}

/**
 * Joined, the pieces are the text that was printed; bytes that are not UTF-8 became U+FFFD. A piece ends
 * after a line where one ends in it. At most one piece is ever held back.
 */
export const createLogText = (): LogText => {
  const decoder = new StringDecoder('utf8')
  let held = ''

  const cut = (text: string): string[] => {
    const pieces: string[] = []
    held += text
    while (Buffer.byteLength(held) >= pieceBytes) {
      const most = fittingLength(held)
      const lineEnd = held.lastIndexOf('\n', most - 1) + 1
      const length = lineEnd > 0 ? lineEnd : most
      pieces.push(held.slice(0, length))
      held = held.slice(length)
    }
    return pieces
  }

  const flush = (): string[] => {
    const rest = held
    held = ''
    return rest === '' ? [] : [rest]
  }

  return {
    add: (bytes) => {
      const pieces: string[] = []
      for (let at = 0; at < bytes.length; at += pieceBytes)
        pieces.push(...cut(decoder.write(bytes.subarray(at, at + pieceBytes))))
      return pieces
    },
    flush,
    end: () => [...cut(decoder.end()), ...flush()],
  }
}

/** How many UTF-16 units from the start fit into a piece, without cutting a character in two. */
const fittingLength = (text: string): number => {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(pieceBytes))
  return read
}
