import tls from 'node:tls'
import t from 'tap'
import { type RunningForge, startForge } from '../support/forge.ts'

/** Sends exactly these bytes and returns all that comes back until the forge ends the connection. */
const send = (forge: RunningForge, text: string): Promise<string> =>
  new Promise((resolve) => {
    const to = { port: forge.port, host: '127.0.0.1', ca: forge.ca, servername: 'localhost' }
    const socket = tls.connect(to, () => socket.write(text))
    let answer = ''
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
    socket.on('error', () => undefined)
    socket.once('close', () => resolve(answer))
  })

t.test('a request that cannot be read is the client’s fault, and says nothing of the forge', async (t) => {
  const forge = await startForge(t)
  const head = 'Host: x\r\nConnection: close\r\n'
  const json = `${head}Authorization: Bearer ${forge.token}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n`
  const requests = [
    `GET http://[::1/ HTTP/1.1\r\n${head}\r\n`,
    `GET //[ HTTP/1.1\r\n${head}\r\n`,
    `GET //[/info/refs HTTP/1.1\r\n${head}\r\n`,
    `GET /% HTTP/1.1\r\n${head}\r\n`,
    `GET /?after=%00 HTTP/1.1\r\n${head}\r\n`,
    `GET / HTTP/1.1\r\n${head}Cookie: __Host-session=\x01\r\n\r\n`,
    `POST /api/v1/repos HTTP/1.1\r\n${json}Content-Encoding: gzip\r\n\r\n{}`,
    `POST /api/v1/repos HTTP/1.1\r\n${json}Content-Encoding: br\r\n\r\n{}`,
    `POST /api/v1/repos HTTP/1.1\r\n${json}Content-Encoding: zstd\r\n\r\n{}`,
    `POST /api/v1/repos HTTP/1.1\r\n${json}\r\n}{`,
    `POST / HTTP/1.1\r\n${head}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  ]
  for (const request of requests) {
    const answer = await send(forge, request)
    t.match(answer, /^HTTP\/1\.1 4\d\d /, JSON.stringify(request.slice(0, 60)))
    t.notMatch(answer, /\.ts\b|node:|node_modules|Error:/)
  }
  t.notMatch(forge.log(), /"level":50/, 'and none of them is a fault in the log')
  t.equal((await forge.ask('/healthz')).status, 200)
})
