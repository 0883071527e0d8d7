/** One request to a consumer: to a judged address, with an end, and never further than where it was sent. */
import { once } from 'node:events'
import http, { type ClientRequest, type IncomingMessage } from 'node:http'
import https from 'node:https'
import type { AllowedHosts } from './allowed-hosts.ts'
import { judgeTarget, TargetError } from './target.ts'

/** From connecting to the last byte of the answer. Milliseconds. */
const totalMs = 10_000

/** What is kept of an answer's body, and of its headers. Bytes. */
const mostBody = 16 * 1024
const mostHeaders = 8 * 1024

export type Answer = Readonly<{
  status: number
  headers: Readonly<Record<string, string>>
  /** Its beginning, as text. */
  body: string
}>

/** `final`: trying again would end the same way. */
export type Outcome =
  | Readonly<{ taken: true; answer: Answer }>
  | Readonly<{ taken: false; failure: string; final: boolean; answer: Answer | null }>

const readAnswer = async (response: IncomingMessage): Promise<Answer> => {
  const chunks: Buffer[] = []
  let size = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      size += chunk.length
      if (size > mostBody) break
    }
  } catch (error) {
    // The status is what counts; a body that is cut off is kept as far as it came.
    if (response.statusCode === undefined) throw error
  }
  const headers = Object.entries(response.headers).map(([name, value]) => [name, String(value)] as const)
  return {
    status: response.statusCode ?? 0,
    headers: Object.fromEntries(headers),
    body: Buffer.concat(chunks).subarray(0, mostBody).toString('utf8'),
  }
}

/** The head of the answer. A connection can also end with neither answer nor error: after a 101, for one. */
const responseTo = async (request: ClientRequest): Promise<IncomingMessage> => {
  const closed = once(request, 'close').then(() => {
    throw new Error('closed')
  })
  const [response] = (await Promise.race([once(request, 'response'), closed])) as [IncomingMessage]
  return response
}

const judge = (answer: Answer): Outcome => {
  const { status } = answer
  if (status >= 200 && status < 300) return { taken: true, answer }
  const redirected = status >= 300 && status < 400
  const failure = redirected
    ? `It answered ${status}: redirects are not followed. Change the webhook's address.`
    : `It answered ${status}.`
  return { taken: false, failure, final: false, answer }
}

const explain = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return `It could not be reached${code === '' ? '' : ` (${code})`}.`
}

/** Posts the payload. Rejects only when `stop` fires: the attempt then counts as not made. */
export const send = async (
  url: URL,
  headers: Readonly<Record<string, string>>,
  payload: Buffer,
  { allowed, stop }: { allowed: AllowedHosts; stop: AbortSignal },
): Promise<Outcome> => {
  let late: AbortSignal | undefined
  try {
    const addresses = await judgeTarget(url, allowed)
    late = AbortSignal.timeout(totalMs)
    const kind = url.protocol === 'https:' ? https : http
    const request = kind.request(url, {
      method: 'POST',
      headers,
      agent: new kind.Agent({
        // Not left to the default: NODE_TLS_REJECT_UNAUTHORIZED=0 would turn it off.
        rejectUnauthorized: true,
        autoSelectFamily: true,
        lookup: (_host, _options, found) => found(null, [...addresses]),
      }),
      maxHeaderSize: mostHeaders,
      signal: AbortSignal.any([stop, late]),
    })
    // Also after the answer has begun, when nobody waits for the request any more.
    request.on('error', () => undefined)
    request.end(payload)
    const answer = await readAnswer(await responseTo(request))
    request.destroy()
    return judge(answer)
  } catch (error) {
    if (stop.aborted) throw error
    if (error instanceof TargetError) {
      return { taken: false, failure: error.message, final: error.code === 'refused', answer: null }
    }
    const failure = late?.aborted ? `It did not answer within ${totalMs / 1000} seconds.` : explain(error)
    return { taken: false, failure, final: false, answer: null }
  }
}
