/** The environment, parsed once into one frozen value, or one error that names every bad key. */
import { isIP } from 'node:net'
import path from 'node:path'
import { z } from 'zod'
import { defaultGitLimits, type GitLimits } from './git/git-limits.ts'
import { type AllowedHosts, allowedHosts } from './webhooks/allowed-hosts.ts'

const listen = z
  .string()
  .regex(/^(?:\[[0-9a-fA-F:]+\]|[^:[\]]+):\d{1,5}$/, 'host:port, for example 127.0.0.1:8443')
  .transform((text) => {
    const at = text.lastIndexOf(':')
    return { host: text.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(text.slice(at + 1)) }
  })
  .refine(({ port }) => port <= 65535, 'the port is 0 to 65535')

const publicUrl = z
  .url({ protocol: /^https?$/, error: 'an http or https URL' })
  .transform((text) => new URL(text))
  .refine(
    ({ search, hash, username, password }) => search + hash + username + password === '',
    'a URL without user name, password and query',
  )
  .refine(({ pathname }) => /^(?:\/[\w.~-]+)*\/?$/.test(pathname), 'a URL whose path is plain')
  .transform(({ origin, pathname }) => origin + pathname.replace(/\/$/, ''))

const tls = z
  .string()
  .transform((text) => {
    if (text === 'self-signed') return { kind: 'self-signed' as const }
    if (text === 'off') return { kind: 'off' as const }
    const [cert = '', key = '', ...more] = text.split(',')
    return { kind: 'files' as const, cert, key: more.length > 0 ? '' : key }
  })
  .refine((value) => value.kind !== 'files' || (value.cert !== '' && value.key !== ''), {
    error: 'self-signed, off, or certificate.pem,key.pem',
  })

const bytes = z
  .string()
  .regex(/^\d{1,15}$/, 'a number of bytes')
  .transform(Number)

const count = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'a number, 1 or more')
  .transform(Number)

/** The keys, with what each means. README's table is made from this. */
export const configKeys = z.object({
  DATA_DIR: z
    .string()
    .min(1)
    .default('data')
    .describe('folder of the database, the audit log and the certificate (default: data)'),
  REPOS_DIR: z
    .string()
    .min(1)
    .optional()
    .describe('folder of bare repositories, may exist already (default: repos in DATA_DIR)'),
  LISTEN: listen.default({ host: '127.0.0.1', port: 8443 }).describe('host:port (default: 127.0.0.1:8443)'),
  PUBLIC_URL: publicUrl
    .optional()
    .describe(
      'the URL that people, agents and git use, may have a path (default: https://localhost and the port)',
    ),
  TLS: tls
    .default({ kind: 'self-signed' })
    .describe(
      'self-signed (default; made and kept in DATA_DIR), off (behind a proxy), or certificate.pem,key.pem',
    ),
  OWNER_TOKEN_FILE: z
    .string()
    .min(1)
    .optional()
    .describe('the first start writes the owner’s token here, mode 0600, instead of printing it once'),
  WORKSPACE_CONTROLLER_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('the runner; without one, jobs stay queued'),
  WORKSPACE_CONTROLLER_SECRET: z
    .string()
    .min(16, 'at least 16 characters')
    .optional()
    .describe('the secret that forge and runner share, at least 16 characters'),
  PUSH_MAX_BYTES: count
    .default(defaultGitLimits.packBytes)
    .describe('the largest pack that a push may send (default: 1073741824)'),
  PUSH_MAX_OBJECT_BYTES: count
    .default(defaultGitLimits.objectBytes)
    .describe('the largest object in it, inflated (default: 104857600)'),
  PUSH_MAX_OBJECTS: count.default(defaultGitLimits.objects).describe('objects in a push (default: 5000000)'),
  PUSH_MAX_REFS: count.default(defaultGitLimits.refs).describe('refs that a push may move (default: 50000)'),
  GIT_PROCESSES: count
    .default(defaultGitLimits.processes)
    .describe('git requests served at once (default: 32)'),
  GIT_PROCESSES_PER_REPO: count
    .default(defaultGitLimits.processesPerRepo)
    .describe(
      'git requests served at once for one repository; more wait their turn, then get 429 (default: 16)',
    ),
  REQUESTS_PER_ADDRESS: count.default(6000).describe('requests a minute from one address (default: 6000)'),
  REQUESTS_PER_TOKEN: count.default(6000).describe('requests a minute with one token (default: 6000)'),
  FAILED_SIGN_INS: count.default(30).describe('wrong tokens a minute from one address (default: 30)'),
  PACK_CACHE_BYTES: bytes
    .default(1024 * 1024 * 1024)
    .describe('disk for packs that fetches share; 0 turns it off (default: 1073741824)'),
  PACK_CACHE_REPO_BYTES: bytes
    .default(512 * 1024 * 1024)
    .describe('repositories with larger packs do not use it (default: 536870912)'),
  WEBHOOK_HOSTS: allowedHosts
    .default(new Set())
    .describe('hosts on private addresses that webhooks may call, host or host:port, with commas between'),
  HOOK_SECONDS: count
    .refine((seconds) => seconds <= 3600, 'at most 3600')
    .default(60)
    .describe('how long each program of pre-receive.d and post-receive.d may run (default: 60)'),
  LOCAL_RUNNER: z
    .literal('for-trying-out')
    .optional()
    .describe('for-trying-out: lets the runner be on the forge’s own machine, and says so on its pages'),
})

/** Empty for what is no URL, which is a fault of its own. */
const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ''

/** Names of the machine itself. An address of it that is none of these cannot be told from another machine’s. */
const isLoopback = (url: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostOf(url))

const isName = (url: string): boolean => isIP(hostOf(url).replace(/^\[|\]$/g, '')) === 0

const environment = configKeys
  .refine(({ WORKSPACE_CONTROLLER_URL: url, LOCAL_RUNNER: local }) => !url || local || !isLoopback(url), {
    path: ['LOCAL_RUNNER'],
    message: 'agents do not run on the forge’s machine; to try it out all the same, set for-trying-out',
  })
  .refine(({ WORKSPACE_CONTROLLER_URL: runner, PUBLIC_URL: url }) => !runner || !url || isName(url), {
    path: ['PUBLIC_URL'],
    message: 'sandboxes reach the forge by its name, never by an address: use a host name',
  })
  .refine((env) => !env.WORKSPACE_CONTROLLER_URL || env.WORKSPACE_CONTROLLER_SECRET, {
    path: ['WORKSPACE_CONTROLLER_SECRET'],
    message: 'needed with WORKSPACE_CONTROLLER_URL',
  })

export type Config = Readonly<{
  dataDir: string
  reposDir: string
  listen: { host: string; port: number }
  publicUrl: string
  tls: { kind: 'self-signed' } | { kind: 'off' } | { kind: 'files'; cert: string; key: string }
  ownerTokenFile: string | null
  git: GitLimits
  /** Each a minute. */
  rates: { perAddress: number; perToken: number; failures: number }
  packCache: { maxBytes: number; maxRepoBytes: number } | null
  webhookHosts: AllowedHosts
  hookMs: number
  runner: { url: string; secret: string; local: boolean } | null
}>

/** A key of the environment that does not hold what it should. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
  readonly code = 'bad-config'
}

/** Reads the forge's configuration. Throws one ConfigError with a line for each bad key. */
export const parseConfig = (env: Readonly<Record<string, string | undefined>>): Config => {
  const result = environment.safeParse(env)
  if (!result.success) {
    const lines = result.error.issues.map((issue) => `  ${issue.path.join('.')}: ${issue.message}`)
    throw new ConfigError(`The configuration cannot be used:\n${lines.join('\n')}`)
  }
  const { data } = result
  const dataDir = path.resolve(data.DATA_DIR)
  return Object.freeze({
    dataDir,
    reposDir: path.resolve(data.REPOS_DIR ?? path.join(dataDir, 'repos')),
    listen: data.LISTEN,
    publicUrl:
      data.PUBLIC_URL ?? `${data.TLS.kind === 'off' ? 'http' : 'https'}://localhost:${data.LISTEN.port}`,
    tls: data.TLS,
    ownerTokenFile: data.OWNER_TOKEN_FILE ? path.resolve(data.OWNER_TOKEN_FILE) : null,
    git: {
      packBytes: data.PUSH_MAX_BYTES,
      objectBytes: data.PUSH_MAX_OBJECT_BYTES,
      objects: data.PUSH_MAX_OBJECTS,
      refs: data.PUSH_MAX_REFS,
      processes: data.GIT_PROCESSES,
      processesPerRepo: data.GIT_PROCESSES_PER_REPO,
      idleMs: defaultGitLimits.idleMs,
    },
    rates: {
      perAddress: data.REQUESTS_PER_ADDRESS,
      perToken: data.REQUESTS_PER_TOKEN,
      failures: data.FAILED_SIGN_INS,
    },
    packCache:
      data.PACK_CACHE_BYTES > 0
        ? { maxBytes: data.PACK_CACHE_BYTES, maxRepoBytes: data.PACK_CACHE_REPO_BYTES }
        : null,
    webhookHosts: data.WEBHOOK_HOSTS,
    hookMs: data.HOOK_SECONDS * 1000,
    runner:
      data.WORKSPACE_CONTROLLER_URL && data.WORKSPACE_CONTROLLER_SECRET
        ? {
            url: data.WORKSPACE_CONTROLLER_URL.replace(/\/$/, ''),
            secret: data.WORKSPACE_CONTROLLER_SECRET,
            local: isLoopback(data.WORKSPACE_CONTROLLER_URL),
          }
        : null,
  })
}
