/** What a repository offers: the answer to `info/refs` (gitprotocol-http, gitprotocol-v2). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ForgeError } from '../errors.ts'
import type { GitChild } from './child.ts'
import { gitHeaders } from './exchange.ts'
import type { ObjectFormat } from './repo-config.ts'
import { roomIn } from './room-in.ts'
import type { Service } from './route.ts'

const pktLine = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text

/** The protocol version that the client asks for, as git's children read it. Anything odd is version 0. */
export const protocolOf = (request: IncomingMessage): Record<string, string> => {
  const asked = request.headers['git-protocol']
  return typeof asked === 'string' && /^version=[012]$/.test(asked) ? { GIT_PROTOCOL: asked } : {}
}

const unreadable = (): ForgeError => new ForgeError('internal', 'git could not read this repository.')

const typeOf = (service: Service): string => `application/x-git-${service}-advertisement`

/** Protocol 2 answers with its capabilities alone; 0 and 1 want the service named first (gitprotocol-http). */
const prefaceOf = (service: Service): Buffer => Buffer.from(`${pktLine(`# service=git-${service}\n`)}0000`)

/** Starts to read what git offers. */
const listenTo = (child: GitChild): AsyncIterable<Buffer> => {
  child.stdin.end()
  child.stderr.resume()
  return child.stdout
}

const readAll = async (child: GitChild): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of listenTo(child)) chunks.push(chunk)
  if ((await child.ended) !== 0) throw unreadable()
  return Buffer.concat(chunks)
}

/** Passes on which refs there are, as they are read: a client that stalls would else hold all of them in memory. */
const passOn = async (child: GitChild, response: ServerResponse, service: Service): Promise<void> => {
  response.once('close', () => child.end())
  for await (const chunk of listenTo(child)) {
    if (response.destroyed) continue
    const begins = !response.headersSent
    if (begins) response.writeHead(200, gitHeaders(typeOf(service)))
    if (!response.write(begins ? Buffer.concat([prefaceOf(service), chunk]) : chunk)) await roomIn(response)
  }
  const exit = await child.ended
  if (response.destroyed) return
  if (!response.headersSent) throw unreadable()
  // A list that was cut off must not look whole.
  if (exit === 0) response.end()
  else response.destroy()
}

const isVersion2 = (request: IncomingMessage): boolean => protocolOf(request)['GIT_PROTOCOL'] === 'version=2'

/** A git that was upgraded under a running forge is noticed after this time. Milliseconds. */
const freshMs = 60_000

/**
 * Answers `info/refs`. In protocol 2 upload-pack offers capabilities and no refs: what git says depends on git itself
 * and on the repository's object format alone, since our configuration outranks the repository's. So it is said from
 * memory. Throws ForgeError when git cannot read the repository.
 */
export const openAdvertiser = () => {
  const remembered = new Map<ObjectFormat, { bytes: Buffer; until: number }>()

  const capabilities = async (format: ObjectFormat, start: () => Promise<GitChild>): Promise<Buffer> => {
    const known = remembered.get(format)
    if (known && known.until > performance.now()) return known.bytes
    const bytes = await readAll(await start())
    remembered.set(format, { bytes, until: performance.now() + freshMs })
    return bytes
  }

  return async (
    request: IncomingMessage,
    response: ServerResponse,
    service: Service,
    format: ObjectFormat,
    start: () => Promise<GitChild>,
  ): Promise<void> => {
    if (service === 'upload-pack' && isVersion2(request)) {
      const bytes = await capabilities(format, start)
      response.writeHead(200, gitHeaders(typeOf(service)))
      response.end(bytes)
    } else await passOn(await start(), response, service)
  }
}
