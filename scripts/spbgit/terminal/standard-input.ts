/** Standard input as one text. */
import { Failure } from '../failure.ts'

/** All of stdin, of `maxBytes` at most, as valid UTF-8. */
export const readStandardInput = async (maxBytes: number): Promise<string> => {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes > maxBytes) throw new Failure('usage', `Standard input holds more than ${maxBytes} bytes.`)
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (error) {
    throw new Failure('usage', 'Standard input is not UTF-8 text.', { cause: error })
  }
}
