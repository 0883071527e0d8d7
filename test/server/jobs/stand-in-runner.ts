/** A runner that answers as a test wants, over real HTTP. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'

export type Handler = (request: IncomingMessage, response: ServerResponse) => void

export const secret = 'a secret of sixteen'

/** Listens until the test ends. `asked` collects `METHOD /path` in order. */
export const startRunner = async (t: Test, handler: Handler) => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    handler(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close').catch(() => undefined)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return { url: `http://127.0.0.1:${port}`, secret, asked }
}
