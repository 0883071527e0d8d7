import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { SetUpError } from '../set-up-error.ts'

/** Where an engine's API listens. */
export type EngineAddress =
  | { readonly kind: 'socket'; readonly path: string }
  | { readonly kind: 'tcp'; readonly host: string; readonly port: number }

export const usualAddress: EngineAddress = { kind: 'socket', path: '/var/run/docker.sock' }

/** Reads what `DOCKER_HOST` may hold. Encrypted and ssh addresses are not for a set-up that builds images. */
export const parseEngineAddress = (text: string): EngineAddress => {
  const url = URL.parse(text)
  if (url?.protocol === 'unix:' && url.pathname !== '') return { kind: 'socket', path: url.pathname }
  if (url?.protocol === 'tcp:' && url.hostname !== '')
    return { kind: 'tcp', host: url.hostname, port: Number(url.port || 2375) }
  throw new SetUpError(
    'engine-address-unsupported',
    `The engine's address "${text}" is neither unix:///path nor tcp://host:port. Set DOCKER_HOST to one of these.`,
  )
}

/** The address in the form of `DOCKER_HOST`. */
export const formatEngineAddress = (address: EngineAddress): string =>
  address.kind === 'socket' ? `unix://${address.path}` : `tcp://${address.host}:${address.port}`

/** `DOCKER_HOST`, else what the docker client would use, else the usual socket. */
export const findEngineAddress = async (env: NodeJS.ProcessEnv): Promise<EngineAddress> => {
  if (env['DOCKER_HOST']) return parseEngineAddress(env['DOCKER_HOST'])
  const format = '{{.Endpoints.docker.Host}}'
  const context = await promisify(execFile)('docker', ['context', 'inspect', '--format', format], {
    timeout: 10_000,
  }).catch(() => null)
  return context === null ? usualAddress : parseEngineAddress(context.stdout.trim())
}
