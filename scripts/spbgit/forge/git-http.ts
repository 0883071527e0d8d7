/** The HTTP half of isomorphic-git, over a forge's own certificate and to that forge only. */
import type { GitHttpRequest, GitHttpResponse, HttpClient } from 'isomorphic-git'
import { Failure } from '../failure.ts'
import type { Endpoint } from './address.ts'
import { readBody, send } from './send.ts'

const maxAnswerBytes = 64 * 1024 * 1024

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes
}

const collect = async (body: GitHttpRequest['body']): Promise<Buffer | null> => {
  if (body === undefined) return null
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** For isomorphic-git's `http`: every request goes to this endpoint, or nowhere. */
export const gitHttp = (endpoint: Endpoint): HttpClient => ({
  request: async ({ url, method, headers, body }: GitHttpRequest): Promise<GitHttpResponse> => {
    const { origin, pathname, search } = new URL(url)
    if (origin !== endpoint.url) throw new Failure('unexpected-answer', `git was sent away to ${origin}.`)
    const bytes = await collect(body)
    const response = await send(endpoint, {
      method: method === 'POST' ? 'POST' : 'GET',
      path: `${pathname}${search}`,
      headers: headers ?? {},
      ...(bytes && { body: bytes }),
    })
    return {
      url,
      statusCode: response.statusCode ?? 0,
      statusMessage: response.statusMessage ?? '',
      headers: { 'content-type': response.headers['content-type'] ?? '' },
      body: oneChunk(await readBody(endpoint, response, maxAnswerBytes)),
    }
  },
})
