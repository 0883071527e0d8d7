/** What a repository offers: the answer to `info/refs` (gitprotocol-http, gitprotocol-v2). */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { ForgeError } from '../errors.ts'
import type { GitChild } from './child.ts'
import { gitHeaders } from './exchange.ts'
import type { Service } from './route.ts'

const pktLine = (text: string): string => (text.length + 4).toString(16).padStart(4, '0') + text

/** The protocol version that the client asks for, as git's children read it. Anything odd is version 0. */
export const protocolOf = (request: IncomingMessage): Record<string, string> => {
  const asked = request.headers['git-protocol']
  return typeof asked === 'string' && /^version=[012]$/.test(asked) ? { GIT_PROTOCOL: asked } : {}
}

/** Passes git's advertisement on. Throws ForgeError when git cannot read the repository. */
export const advertise = async (
  request: IncomingMessage,
  response: ServerResponse,
  child: GitChild,
  service: Service,
): Promise<void> => {
  child.stdin.end()
  const chunks: Buffer[] = []
  for await (const chunk of child.stdout as AsyncIterable<Buffer>) chunks.push(chunk)
  if ((await child.ended) !== 0) throw new ForgeError('internal', 'git could not read this repository.')
  // Protocol v2 answers with its capabilities alone; v0 and v1 want the service named first (gitprotocol-http).
  const named = protocolOf(request)['GIT_PROTOCOL'] === 'version=2' && service === 'upload-pack'
  const preface = named ? '' : `${pktLine(`# service=git-${service}\n`)}0000`
  response.writeHead(200, gitHeaders(`application/x-git-${service}-advertisement`))
  response.end(Buffer.concat([Buffer.from(preface), ...chunks]))
}
