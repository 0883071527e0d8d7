/** What a repository offers: the answer to `info/refs` (gitprotocol-http, gitprotocol-v2). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ForgeError } from '../errors.ts'
import type { GitChild } from './child.ts'
import { gitHeaders } from './exchange.ts'
import type { ObjectFormat } from './repo-config.ts'
import type { Service } from './route.ts'

const pktLine = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text

/** The protocol version that the client asks for, as git's children read it. Anything odd is version 0. */
export const protocolOf = (request: IncomingMessage): Record<string, string> => {
  const asked = request.headers['git-protocol']
  return typeof asked === 'string' && /^version=[012]$/.test(asked) ? { GIT_PROTOCOL: asked } : {}
}

const readAll = async (child: GitChild): Promise<Buffer> => {
  child.stdin.end()
  child.stderr.resume()
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk)
  if ((await child.ended) !== 0) throw new ForgeError('internal', 'git could not read this repository.')
  return Buffer.concat(chunks)
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

  const read = async (
    { service, format, version2 }: { service: Service; format: ObjectFormat; version2: boolean },
    start: () => Promise<GitChild>,
  ): Promise<Buffer> => {
    if (!version2 || service !== 'upload-pack') return readAll(await start())
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
    const version2 = isVersion2(request)
    const bytes = await read({ service, format, version2 }, start)
    // Protocol v2 answers with its capabilities alone; v0 and v1 want the service named first (gitprotocol-http).
    const preface =
      version2 && service === 'upload-pack' ? '' : `${pktLine(`# service=git-${service}\n`)}0000`
    response.writeHead(200, gitHeaders(`application/x-git-${service}-advertisement`))
    response.end(Buffer.concat([Buffer.from(preface), bytes]))
  }
}
