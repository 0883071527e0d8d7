import readline from 'node:readline'
import type { Readable } from 'node:stream'
import { z } from 'zod'

const line = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  error: z.string().optional(),
})

/**
 * What the engine says while it builds, pulls or imports an image, a line of text at a time. It answers 200
 * before it begins, so a failure is a line of its own kind: that one is thrown.
 */
export async function* readProgress(body: Readable): AsyncGenerator<string> {
  for await (const text of readline.createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (text.trim() === '') continue
    const said = line.parse(JSON.parse(text))
    if (said.error !== undefined) throw new Error(said.error)
    const words = (said.stream ?? said.status ?? '').trim()
    if (words !== '') yield words
  }
}
