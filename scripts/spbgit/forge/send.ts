/** One HTTPS request to a forge: certificate checked, deadlines kept, no redirect followed. */
import type { IncomingMessage } from 'node:http'
import https from 'node:https'
import { Failure } from '../failure.ts'
import type { Endpoint } from './address.ts'
import { networkFailure } from './network-failure.ts'

export type Question = {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path and query, beginning with a slash. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Uint8Array
  readonly signal?: AbortSignal
}

const connectMs = 10_000
const answerMs = 30_000
const bodyMs = 30_000

/** Resolves when the head of the answer is there; whoever gets it reads the body or destroys it. */
export const send = ({ url, ca }: Endpoint, question: Question): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { method, path, headers, body, signal } = question
    const request = https.request(new URL(path, url), {
      method,
      headers,
      agent: false,
      // Not left to the default: NODE_TLS_REJECT_UNAUTHORIZED=0 would turn it off.
      rejectUnauthorized: true,
      // A pinned certificate is the end of its chain, also where somebody else signed it.
      ...(ca === null ? {} : { ca, allowPartialTrustChain: true }),
      ...(signal === undefined ? {} : { signal }),
    })
    const giveUpAfter = (ms: number, what: string) =>
      setTimeout(() => {
        request.destroy(new Failure('timed-out', `${url} did not ${what} within ${ms / 1000} s. Try again.`))
      }, ms)
    let deadline = giveUpAfter(connectMs, 'take the connection')
    request.once('socket', (socket) => {
      socket.once('secureConnect', () => {
        clearTimeout(deadline)
        deadline = giveUpAfter(answerMs, 'answer')
      })
    })
    request.once('response', (response) => {
      clearTimeout(deadline)
      resolve(response)
    })
    request.once('close', () => clearTimeout(deadline))
    request.on('error', (error) => reject(networkFailure(error, url)))
    request.end(body)
  })

/** The whole body of an answer, of `maxBytes` at most, within 30 s. */
export const readBody = async (
  { url }: Endpoint,
  response: IncomingMessage,
  maxBytes: number,
): Promise<Buffer> => {
  const late = new Failure('timed-out', `${url} did not end its answer within ${bodyMs / 1000} s. Try again.`)
  const deadline = setTimeout(() => response.destroy(late), bodyMs)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > maxBytes) {
        throw new Failure('answer-too-large', `${url} answered with more than ${maxBytes} bytes.`)
      }
      chunks.push(chunk)
    }
  } catch (error) {
    throw networkFailure(error, url)
  } finally {
    clearTimeout(deadline)
    response.destroy()
  }
  return Buffer.concat(chunks)
}
