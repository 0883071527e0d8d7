/** Where a branch of a repository stands, asked over git's own protocol. */
import git, { type GitHttpRequest, type GitHttpResponse } from 'isomorphic-git'
import { type CommitId, commitId, type RepoName } from '../../../server/protocol/ids.ts'
import type { RefName } from '../../../server/protocol/refs.ts'
import { Failure } from '../failure.ts'
import type { Endpoint } from './address.ts'
import { readBody, send } from './send.ts'

const maxRefsBytes = 64 * 1024 * 1024

async function* oneChunk(bytes: Uint8Array): AsyncGenerator<Uint8Array, undefined> {
  yield bytes
}

const collect = async (body: GitHttpRequest['body']): Promise<Buffer | null> => {
  if (body === undefined) return null
  const chunks: Uint8Array[] = []
  for await (const chunk of body) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** The HTTP half of isomorphic-git, over this forge's certificate and to this forge only. */
const gitHttp = (endpoint: Endpoint) => ({
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
      body: oneChunk(await readBody(endpoint, response, maxRefsBytes)),
    }
  },
})

/** The commit that the ref is at now; null: there is no such ref. Reading needs no token, so none is sent. */
export const readRef = async (endpoint: Endpoint, repo: RepoName, ref: RefName): Promise<CommitId | null> => {
  const url = `${endpoint.url}/${repo}.git`
  const refs = await git
    .listServerRefs({ http: gitHttp(endpoint), url, prefix: ref })
    .catch((error: unknown) => {
      if (error instanceof Failure) throw error
      throw new Failure('unexpected-answer', `${url} cannot be read as a git repository.`, { cause: error })
    })
  const found = refs.find((each) => each.ref === ref)
  return found === undefined ? null : commitId.parse(found.oid)
}
