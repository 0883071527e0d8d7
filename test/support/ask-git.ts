import https from 'node:https'
import type { RunningForge } from './forge.ts'

export type GitAnswer = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: Buffer
  /** Whether it came over a connection that an earlier request had used. */
  reused: boolean
}>

export type GitAsk = Readonly<{
  method?: string
  /** By default the owner's token; null asks anonymously. */
  token?: string | null
  headers?: Record<string, string>
  /** Sent as one piece with its length, or as it comes, in chunks. */
  body?: Buffer | AsyncIterable<Buffer>
  /** By default a new connection for each request. */
  agent?: https.Agent
}>

export const pktLine = (text: string): string =>
  (Buffer.byteLength(text) + 4).toString(16).padStart(4, '0') + text

/** One request to the git server, byte by byte as it stands here. */
export const askGit = (forge: RunningForge, where: string, ask: GitAsk = {}): Promise<GitAnswer> =>
  new Promise((resolve, reject) => {
    const { method = ask.body ? 'POST' : 'GET', token = forge.token, headers, body, agent } = ask
    const service = /git-[a-z-]+$/.exec(where)?.[0]
    const request = https.request(
      forge.url + where,
      {
        method,
        ca: forge.ca,
        agent: agent ?? false,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(body && service ? { 'content-type': `application/x-${service}-request` } : {}),
          ...(Buffer.isBuffer(body) ? { 'content-length': String(body.length) } : {}),
          ...headers,
        },
      },
      (response) => {
        const chunks: Buffer[] = []
        response.on('data', (chunk: Buffer) => chunks.push(chunk))
        response.on('error', reject)
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks),
            reused: request.reusedSocket,
          }),
        )
      },
    )
    request.on('error', reject)
    const send = async (): Promise<void> => {
      if (headers?.['expect']) await new Promise((go) => request.once('continue', go))
      if (body && !Buffer.isBuffer(body)) for await (const chunk of body) request.write(chunk)
      request.end(Buffer.isBuffer(body) ? body : undefined)
    }
    send().catch(reject)
  })

/** What an answer says on one band: 1 is git's own, 2 and 3 are for people (gitprotocol-pack, side-band). */
export const bandOf = (body: Buffer, band: 1 | 2 | 3): string => {
  const parts: Buffer[] = []
  for (let at = 0; at + 4 <= body.length; ) {
    const size = Number.parseInt(body.toString('latin1', at, at + 4), 16)
    if (body[at + 4] === band && size > 4) parts.push(body.subarray(at + 5, at + size))
    at += Math.max(size, 4)
  }
  return Buffer.concat(parts).toString('utf8')
}
