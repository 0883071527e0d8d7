/** `npm run runner`: configuration → engine → attempts → listen → graceful stop. */
import process from 'node:process'
import { pino, stdTimeFunctions } from 'pino'
import { ConfigError, parseConfig } from './config.ts'
import { EngineError } from './engine/call.ts'
import { startRunner } from './start-runner.ts'

const main = async (): Promise<void> => {
  const config = parseConfig(process.env)
  const log = pino({ base: null, timestamp: stdTimeFunctions.isoTime })
  const stop = Promise.withResolvers<void>()
  // Kept on: a second signal must not cut the first one's clean-up short.
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => stop.resolve())
  await using runner = await startRunner(config, log)
  log.info({ host: runner.address.address, port: runner.address.port }, 'the runner listens')
  await stop.promise
  log.info('the runner stops')
}

try {
  await main()
} catch (error) {
  if (!(error instanceof ConfigError) && !(error instanceof EngineError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
