/**
 * The only way out of a sandbox: `node wire.ts [port]`. It listens on 127.0.0.1 as a proxy that understands
 * CONNECT alone, and carries every connection as an HTTP/2 CONNECT stream over stdin and stdout to the
 * runner, which decides. It decides nothing itself and holds no secret. It speaks on stdout only once it
 * listens, so the first frames tell the runner that it is ready. When the pipe ends, it exits, and the
 * sandbox is sealed. Runs alone in its image: it imports nothing but Node's own modules.
 */
import { once } from 'node:events'
import http from 'node:http'
import http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Duplex, PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'

const connections = 64
const headerBytes = 4 * 1024
const headerMs = 10_000
const windowBytes = 256 * 1024

const refuseRequest = (response: http.ServerResponse): void => {
  response.writeHead(405, { allow: 'CONNECT', 'content-type': 'text/plain', connection: 'close' })
  response.end('This proxy understands only CONNECT: use https URLs.\n')
}

/** Ends a client that has no tunnel yet. */
const refuse = (client: Duplex, status: number, text: string): void => {
  const body = `${text}\n`
  client.end(
    `HTTP/1.1 ${status} ${http.STATUS_CODES[status] ?? ''}\r\nContent-Type: text/plain\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

type Answer = http2.IncomingHttpHeaders & http2.IncomingHttpStatusHeader

const refuseAsTold = (client: Duplex, answer: Answer): void => {
  const reason = String(answer['egress-refusal'] ?? 'The runner refused this connection.')
  if (answer[':status'] === 502) refuse(client, 502, reason)
  else refuse(client, 403, `${reason} This is the sandbox's policy: do not try again.`)
}

const relay = async (client: Duplex, tunnel: Duplex): Promise<void> => {
  await Promise.allSettled([pipeline(client, tunnel), pipeline(tunnel, client)])
  client.destroy()
}

const connect = async (
  runner: http2.ClientHttp2Session,
  authority: string,
  client: Duplex,
  head: Buffer,
): Promise<void> => {
  client.on('error', () => {})
  const tunnel = runner.request({ ':method': 'CONNECT', ':authority': authority })
  tunnel.on('error', () => {})
  client.once('close', () => tunnel.destroy(new Error('the client has left')))
  const answered = await Promise.race([
    once(tunnel, 'response') as Promise<[Answer]>,
    once(tunnel, 'close').then(() => undefined),
  ]).catch(() => undefined)
  if (answered === undefined) return refuse(client, 502, 'The runner ended this connection.')
  const [headers] = answered
  if (headers[':status'] !== 200) return refuseAsTold(client, headers)
  client.write('HTTP/1.1 200 Connection established\r\n\r\n')
  if (head.length > 0) tunnel.write(head)
  await relay(client, tunnel)
}

const server = http.createServer(
  {
    maxHeaderSize: headerBytes,
    headersTimeout: headerMs,
    requestTimeout: headerMs,
    connectionsCheckingInterval: 1000,
  },
  (_request, response) => refuseRequest(response),
)
server.maxConnections = connections
server.listen(Number(process.argv[2] ?? 8040), '127.0.0.1')
await once(server, 'listening')

// Node's HTTP/2 stops reading while a write of its own waits. If both ends did, both pipes full, they would
// wait for each other for ever. So this end's writes never wait: the runner's windows bound what is queued.
const outbound = new PassThrough({ highWaterMark: 2 * connections * windowBytes })
outbound.pipe(process.stdout)

const runner = http2.connect('http://runner', {
  createConnection: () => Duplex.from({ readable: process.stdin, writable: outbound }),
  settings: { enablePush: false, initialWindowSize: windowBytes },
})
runner.on('error', () => {})
// Tunnels share the session's window: left at 64 KiB, a busy one would starve the others.
runner.once('connect', () => runner.setLocalWindowSize(connections * windowBytes))
runner.once('close', () => process.exit(1))
process.stdin.once('end', () => process.exit(1))
process.stdout.once('error', () => process.exit(1))
server.on('connect', (request, client, head) => void connect(runner, request.url ?? '', client, head))
process.stderr.write(`listening on 127.0.0.1:${(server.address() as AddressInfo).port}\n`)
