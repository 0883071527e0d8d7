import { once } from 'node:events'
import net from 'node:net'

/** The first port from `first` on that nothing listens on at the loopback address. */
export const findFreePort = async (first: number): Promise<number> => {
  for (let port = first; port < first + 100; port++) if (await isFree(port)) return port
  throw new Error(`No port from ${first} to ${first + 99} is free.`)
}

const isFree = async (port: number): Promise<boolean> => {
  const server = net.createServer().listen({ host: '127.0.0.1', port, exclusive: true })
  try {
    await once(server, 'listening')
    return true
  } catch {
    return false
  } finally {
    server.close()
  }
}
