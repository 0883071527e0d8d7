/** `npm start`: config → forge → listen → graceful stop. */
import { X509Certificate } from 'node:crypto'
import Koa from 'koa'
import pino from 'pino'
import { ConfigError, parseConfig } from './config.ts'
import { loadCertificate } from './http/certificate.ts'
import { ensureOwnerToken } from './identity/owner-token.ts'
import { listen } from './listen.ts'
import { mountForge } from './mount.ts'
import { openForge } from './open-forge.ts'
import { DataFolderInUse } from './store/lock.ts'

const start = async (): Promise<void> => {
  const config = parseConfig(process.env)
  const log = pino({ base: null, timestamp: pino.stdTimeFunctions.isoTime })
  const certificate = await loadCertificate(config, Date.now())
  const { forge, close } = await openForge(config, log, certificate?.ca ?? null)
  try {
    await ensureOwnerToken(forge.tokens, config.ownerTokenFile, (text) => process.stderr.write(`${text}\n`))
    const handle = new Koa().use(mountForge(forge)).callback()
    const server = await listen(config.listen, certificate, (request, response) => {
      void handle(request, response)
    })
    const fingerprint = certificate && new X509Certificate(certificate.cert).fingerprint256
    log.info({ url: config.publicUrl, port: server.port, fingerprint }, 'the forge is ready')
    const stop = async (): Promise<void> => {
      log.info('stopping')
      await server.close()
      await close()
    }
    const fail = (error: unknown): void => {
      log.error({ err: error }, 'a part could not be closed')
      process.exitCode = 1
    }
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stop().catch(fail))
  } catch (error) {
    await close()
    throw error
  }
}

start().catch((error: unknown) => {
  const known = error instanceof ConfigError || error instanceof DataFolderInUse
  process.stderr.write(`${known ? error.message : error instanceof Error ? error.stack : String(error)}\n`)
  process.exitCode = 1
})
