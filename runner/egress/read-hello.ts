import type { Readable } from 'node:stream'
import { parseClientHello } from './client-hello.ts'
import { lowerAscii } from './host-name.ts'
import { EgressRefusal } from './refusal.ts'

/**
 * Reads until the whole ClientHello is in hand and checks that it names `serverName`, a host name in lower
 * case. Gives back every byte read, for the server; the stream goes on after them. When `ms` have passed the
 * stream is destroyed, since nothing else ends the wait for a client that says nothing.
 *
 * @throws EgressRefusal
 */
export const readHello = async (client: Readable, serverName: string, ms: number): Promise<Buffer> => {
  const timer = setTimeout(() => client.destroy(new EgressRefusal('hello-timeout')), ms)
  const chunks: Buffer[] = []
  let held = 0
  let needs = 1
  try {
    for await (const chunk of client.iterator({ destroyOnReturn: false })) {
      chunks.push(chunk as Buffer)
      held += (chunk as Buffer).length
      if (held < needs) continue
      const bytes = Buffer.concat(chunks)
      const hello = parseClientHello(bytes)
      switch (hello.state) {
        case 'incomplete':
          needs = hello.needs
          break
        case 'refused':
          throw new EgressRefusal(hello.why)
        case 'complete':
          if (lowerAscii(hello.serverName) !== serverName) throw new EgressRefusal('server-name-differs')
          return bytes
      }
    }
  } catch (error) {
    throw error instanceof EgressRefusal ? error : new EgressRefusal('abandoned')
  } finally {
    clearTimeout(timer)
  }
  throw new EgressRefusal('hello-cut')
}
