/** The forge's audit log, line by line as it is there. */
import { Failure } from '../failure.ts'
import type { Forge } from './address.ts'
import { open } from './ask.ts'
import { networkFailure } from './network-failure.ts'

/** A push names its refs in one entry, and a hook hands over 32 MiB of them at most. */
const longestLine = 64 * 1024 * 1024
const silenceMs = 30_000
const newline = 10

/** The bytes of each line without its newline, as text. A last line without one is not whole, and a Failure. */
export async function* auditLines(forge: Forge): AsyncGenerator<string> {
  const accept = 'application/x-ndjson'
  const response = await open(forge, { method: 'GET', path: '/api/v1/audit', accept })
  response.setTimeout(silenceMs, () => {
    response.destroy(new Failure('timed-out', `${forge.url} fell silent.`))
  })
  let rest: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      let start = 0
      for (let end = chunk.indexOf(newline); end >= 0; end = chunk.indexOf(newline, start)) {
        yield Buffer.concat([...rest, chunk.subarray(start, end)]).toString('utf8')
        rest = []
        size = 0
        start = end + 1
      }
      rest.push(chunk.subarray(start))
      size += chunk.length - start
      if (size > longestLine)
        throw new Failure('answer-too-large', `${forge.url} sent an endless line of the log.`)
    }
  } catch (error) {
    throw networkFailure(error, forge.url)
  } finally {
    response.destroy()
  }
  if (size > 0) throw new Failure('unexpected-answer', `${forge.url} sent half a line at the log’s end.`)
}
