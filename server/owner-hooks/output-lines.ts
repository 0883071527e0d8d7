/** What a program writes, as lines for the pusher's terminal. Pure. */

/** What the pusher sees of one program. Bytes. */
const mostBytes = 256 * 1024
/** A line without an end is cut here. Characters. */
const longestLine = 4096

export const openOutputLines = () => {
  const decoder = new TextDecoder()
  let rest = ''
  let bytes = 0

  return {
    /** The lines that this chunk ends. Past the limit, what comes is only counted. */
    take(chunk: Buffer): string[] {
      const room = Math.max(0, mostBytes - bytes)
      bytes += chunk.length
      const lines = (rest + decoder.decode(chunk.subarray(0, room), { stream: true })).split('\n')
      rest = lines.pop() ?? ''
      while (rest.length > longestLine) {
        lines.push(rest.slice(0, longestLine))
        rest = rest.slice(longestLine)
      }
      return lines
    },

    /** What is left at the end. */
    end(): string[] {
      const last = rest + decoder.decode()
      const lost = bytes - mostBytes
      return [...(last === '' ? [] : [last]), ...(lost > 0 ? [`… and ${lost} bytes more`] : [])]
    },
  }
}
