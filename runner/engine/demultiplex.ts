/** The engine's framing of an exec's output: a header of 8 bytes (stream, three zeros, big-endian length), then bytes. */

export type Output = { readonly stream: 'out' | 'err'; readonly bytes: Buffer }

const headerBytes = 8

/**
 * Takes the frames apart as they come. A frame is passed on in the pieces in which it arrives, so memory does
 * not depend on its length, and the source is read no faster than the pieces are taken. Throws where the
 * bytes are not frames, or end within one.
 */
export async function* demultiplex(source: AsyncIterable<Buffer>): AsyncGenerator<Output, void, undefined> {
  let header = Buffer.alloc(0)
  let frame: { stream: Output['stream']; left: number } | null = null
  for await (const chunk of source) {
    let rest = chunk
    while (rest.length > 0) {
      if (frame === null) {
        const missing = headerBytes - header.length
        header = Buffer.concat([header, rest.subarray(0, missing)])
        rest = rest.subarray(missing)
        if (header.length < headerBytes) continue
        frame = { stream: streamOf(header), left: header.readUInt32BE(4) }
        header = Buffer.alloc(0)
      } else {
        const bytes = rest.subarray(0, frame.left)
        rest = rest.subarray(frame.left)
        frame.left -= bytes.length
        yield { stream: frame.stream, bytes }
      }
      if (frame !== null && frame.left === 0) frame = null
    }
  }
  if (frame !== null || header.length > 0) throw new Error('The output of the engine ended within a frame.')
}

const streamOf = (header: Buffer): Output['stream'] => {
  if (header.readUIntBE(1, 3) === 0) {
    if (header[0] === 1) return 'out'
    if (header[0] === 2) return 'err'
  }
  throw new Error('The output of the engine is not framed as it should be.')
}
