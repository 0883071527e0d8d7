/** Everything that a runner is, started in order and stopped in reverse. */
import { once } from 'node:events'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Logger } from 'pino'
import type { Digest } from '../server/protocol/ids.ts'
import { type Config, ConfigError, sandboxTag } from './config.ts'
import { openDataFolder } from './data-folder.ts'
import { connectEngine, type Engine } from './engine/engine.ts'
import { findImage } from './engine/images.ts'
import { removeLabelled } from './engine/owned.ts'
import { runnerLabel } from './engine/specs/labels.ts'
import { readVersion } from './engine/version.ts'
import { createApp } from './http/app.ts'
import { openAttempts } from './jobs/attempts.ts'
import type { Runner } from './runner.ts'

export type RunningRunner = AsyncDisposable & { readonly address: AddressInfo }

/** Starts a runner. It listens when this has resolved; disposing of it ends its attempts, then stops listening. */
export const startRunner = async (config: Config, log: Logger): Promise<RunningRunner> => {
  const engine = connectEngine(config.engine)
  const engineVersion = await readVersion(engine)
  const sandboxImage = await findSandboxImage(engine, config)
  await using undo = new AsyncDisposableStack()
  const { runner: id } = undo.use(await openDataFolder(config.dataDir))
  const runner: Runner = { id, engine, sandboxImage, images: new Set(config.images), log }

  // What is there now is of an earlier run that died. Only then are its attempts ended.
  await removeLabelled(engine, { [runnerLabel]: id })
  const attempts = await openAttempts(runner, config.dataDir)
  const answer = createApp({ runner, attempts, secret: config.secret, engineVersion }).callback()
  const server = http.createServer((request, response) => void answer(request, response))
  server.listen(config.listen.port, config.listen.host)
  await once(server, 'listening')
  undo.defer(() => close(server))
  undo.defer(() => attempts.stop())
  const done = undo.move()
  return { address: addressOf(server), [Symbol.asyncDispose]: () => done.disposeAsync() }
}

const findSandboxImage = async (engine: Engine, config: Config): Promise<Digest> => {
  const name = config.sandboxImage ?? sandboxTag
  const image = await findImage(engine, name)
  if (image === null)
    throw new ConfigError(
      `The engine does not have the image ${name}: npm run demo builds it, or set SANDBOX_IMAGE.`,
    )
  return image.digest
}

/** Followers have a moment to take the last events. */
const lastEventsMs = 2000

const close = async (server: http.Server): Promise<void> => {
  const closed = once(server, 'close')
  server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), lastEventsMs)
  await closed
  clearTimeout(timer)
}

const addressOf = (server: http.Server): AddressInfo => {
  const address = server.address()
  if (address === null || typeof address === 'string')
    throw new Error('The runner does not listen on a port.')
  return address
}
