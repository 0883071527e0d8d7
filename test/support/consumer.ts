import { once } from 'node:events'
import http, { type IncomingMessage, type ServerResponse } from 'node:http'
import type { Test } from 'tap'

export type Delivered = Readonly<{
  headers: Readonly<Record<string, string>>
  body: string
}>

type Reply = (response: ServerResponse, delivered: Delivered, count: number) => void

/** Takes webhooks over real HTTP. Without `reply`, each is answered 200. */
export type Consumer = Readonly<{
  url: string
  port: number
  taken: readonly Delivered[]
  /** Waits for a delivery that fits, also one that has come already. */
  until(fits: (delivered: Delivered) => boolean): Promise<Delivered>
  /** Waits until there are so many. */
  count(n: number): Promise<void>
}>

const read = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}

const accept: Reply = (response) => response.end('thanks')

export const startConsumer = async (t: Test, reply: Reply = accept): Promise<Consumer> => {
  const taken: Delivered[] = []
  let arrived = Promise.withResolvers<void>()
  const server = http.createServer((request, response) => {
    void read(request).then(
      (body) => {
        const headers = Object.fromEntries(Object.entries(request.headers).map(([k, v]) => [k, String(v)]))
        const delivered = { headers, body }
        taken.push(delivered)
        reply(response, delivered, taken.length)
        arrived.resolve()
        arrived = Promise.withResolvers<void>()
      },
      () => undefined,
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    server.close()
    server.closeAllConnections()
    await once(server, 'close')
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0

  const until = async (fits: (delivered: Delivered) => boolean): Promise<Delivered> => {
    for (;;) {
      const found = taken.find(fits)
      if (found) return found
      await arrived.promise
    }
  }
  return {
    url: `http://127.0.0.1:${port}/hook`,
    port,
    taken,
    until,
    async count(n) {
      while (taken.length < n) await arrived.promise
    },
  }
}
