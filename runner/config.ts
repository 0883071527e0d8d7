/** The environment, parsed once into one frozen value, or one error that names every bad key. */
import path from 'node:path'
import { z } from 'zod'
import { type Digest, digest } from '../server/protocol/ids.ts'
import type { EngineAddress } from './engine/engine.ts'

const listen = z
  .string()
  .regex(/^(?:\[[0-9a-fA-F:]+\]|[^:[\]]+):\d{1,5}$/, 'host:port, for example 127.0.0.1:8041')
  .transform((text) => {
    const at = text.lastIndexOf(':')
    return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
  })
  .refine(({ port }) => port <= 65535, 'the port is 0 to 65535')

const engineAddress = z.string().transform((text, context): EngineAddress => {
  if (text.startsWith('/')) return { kind: 'socket', path: text }
  const url = URL.parse(text)
  if (url?.protocol === 'unix:' && url.host === '') return { kind: 'socket', path: url.pathname }
  if (url?.protocol === 'tcp:' && url.port !== '')
    return { kind: 'tcp', host: url.hostname, port: Number(url.port) }
  context.addIssue({ code: 'custom', message: 'unix:///path or tcp://host:port' })
  return z.NEVER
})

const digests = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .pipe(z.array(digest))

/** The keys, with what each means. README's table is made from this. */
export const configKeys = z.object({
  LISTEN: listen.default({ host: '127.0.0.1', port: 8041 }).describe('host:port (default: 127.0.0.1:8041)'),
  WORKSPACE_CONTROLLER_SECRET: z
    .string('the secret that forge and runner share')
    .min(16, 'at least 16 characters')
    .describe('the secret that forge and runner share, at least 16 characters'),
  DATA_DIR: z
    .string()
    .min(1)
    .default('runner-data')
    .describe('folder of the events that the forge does not have yet (default: runner-data)'),
  SANDBOX_IMAGE: digest
    .optional()
    .describe(
      'id of the sandbox image, sha256:… (default: what agent-workspace/sandbox:latest names at the start)',
    ),
  RUNNER_IMAGES: digests
    .default([])
    .describe('ids of further images that jobs may name, with commas between'),
  DOCKER_HOST: engineAddress
    .default({ kind: 'socket', path: '/var/run/docker.sock' })
    .describe('the container engine, unix:///path or tcp://host:port (default: /var/run/docker.sock)'),
})

export type Config = Readonly<{
  listen: { host: string; port: number }
  secret: string
  dataDir: string
  /** null: the image that `sandboxTag` names when the runner starts. */
  sandboxImage: Digest | null
  images: readonly Digest[]
  engine: EngineAddress
}>

export const sandboxTag = 'agent-workspace/sandbox:latest'

/** A key of the environment that does not hold what it should. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'bad-config'
}

/** Reads the runner's configuration; an empty value counts as none. Throws one ConfigError with a line for each bad key. */
export const parseConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const result = configKeys.safeParse(given)
  if (!result.success) {
    const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`The configuration cannot be used:\n${lines.join('\n')}`)
  }
  const { data } = result
  return Object.freeze({
    listen: data.LISTEN,
    secret: data.WORKSPACE_CONTROLLER_SECRET,
    dataDir: path.resolve(data.DATA_DIR),
    sandboxImage: data.SANDBOX_IMAGE ?? null,
    images: data.RUNNER_IMAGES,
    engine: data.DOCKER_HOST,
  })
}
