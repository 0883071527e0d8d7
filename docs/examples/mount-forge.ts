/** The whole forge below a path of your own Koa site. Run it with: node mount-forge.ts */
import http from 'node:http'
import { ensureOwnerToken, mountForge, openForge, parseConfig } from 'agent-workspace'
import Koa from 'koa'
import pino from 'pino'

const port = Number(process.env['PORT'] ?? 8080)
const config = parseConfig({
  DATA_DIR: 'data',
  // The path is where the forge hangs. TLS is the business of your site.
  PUBLIC_URL: process.env['PUBLIC_URL'] ?? `http://localhost:${port}/forge`,
  TLS: 'off',
  OWNER_TOKEN_FILE: 'owner-token',
})
const { forge, close } = await openForge(config, pino(), null)
await ensureOwnerToken(forge.tokens, config.ownerTokenFile, console.log)

const site = new Koa()
site.use(mountForge(forge))
site.use((ctx) => {
  ctx.body = 'My own site.\n'
})
const handle = site.callback()
const server = http.createServer({ requestTimeout: 0 }, (request, response) => void handle(request, response))
server.listen(port, '127.0.0.1', () => console.log('listening'))

process.once('SIGTERM', () => {
  server.close(() => void close())
  server.closeAllConnections()
})
