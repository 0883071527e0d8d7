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
    ({ search, hash, username }) => search + hash + username === '',
    'a URL without user name and query',
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
export const configKeys = {
  DATA_DIR: {
    schema: z.string().min(1).default('data'),
    help: 'folder of the database, the audit log and the certificate',
  },
  REPOS_DIR: {
    schema: z.string().min(1).optional(),
    help: 'folder of bare repositories, may exist already (default: repos in DATA_DIR)',
  },
  LISTEN: {
    schema: listen.default({ host: '127.0.0.1', port: 8443 }),
    help: 'host:port (default: 127.0.0.1:8443)',
  },
  PUBLIC_URL: {
    schema: publicUrl.optional(),
    help: 'the URL that people, agents and git use, may have a path (default: https://localhost and the port)',
  },
  TLS: {
    schema: tls.default({ kind: 'self-signed' }),
    help: 'self-signed (default; made and kept in DATA_DIR), off (behind a proxy), or certificate.pem,key.pem',
  },
  OWNER_TOKEN_FILE: {
    schema: z.string().min(1).optional(),
    help: 'the first start writes the owner’s token here, mode 0600, instead of printing it once',
  },
  WORKSPACE_CONTROLLER_URL: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    help: 'the runner; without one, jobs stay queued',
  },
  WORKSPACE_CONTROLLER_SECRET: {
    schema: z.string().min(16, 'at least 16 characters').optional(),
    help: 'the secret that forge and runner share',
  },
  PUSH_MAX_BYTES: {
    schema: count.default(defaultGitLimits.packBytes),
    help: 'the largest pack that a push may send (default: 1073741824)',
  },
  PUSH_MAX_OBJECT_BYTES: {
    schema: count.default(defaultGitLimits.objectBytes),
    help: 'the largest object in it, inflated (default: 104857600)',
  },
  PUSH_MAX_OBJECTS: {
    schema: count.default(defaultGitLimits.objects),
    help: 'objects in a push (default: 5000000)',
  },
  PUSH_MAX_REFS: {
    schema: count.default(defaultGitLimits.refs),
    help: 'refs that a push may move (default: 50000)',
  },
  GIT_PROCESSES: {
    schema: count.default(defaultGitLimits.processes),
    help: 'git requests served at once (default: 32)',
  },
  GIT_PROCESSES_PER_REPO: {
    schema: count.default(defaultGitLimits.processesPerRepo),
    help: 'git requests served at once for one repository; more wait their turn, then get 429 (default: 16)',
  },
  REQUESTS_PER_ADDRESS: {
    schema: count.default(6000),
    help: 'requests a minute from one address (default: 6000)',
  },
  REQUESTS_PER_TOKEN: {
    schema: count.default(6000),
    help: 'requests a minute with one token (default: 6000)',
  },
  FAILED_SIGN_INS: {
    schema: count.default(30),
    help: 'wrong tokens a minute from one address (default: 30)',
  },
  PACK_CACHE_BYTES: {
    schema: bytes.default(1024 * 1024 * 1024),
    help: 'disk for packs that fetches share; 0 turns it off (default: 1073741824)',
  },
  PACK_CACHE_REPO_BYTES: {
    schema: bytes.default(512 * 1024 * 1024),
    help: 'repositories with larger packs do not use it (default: 536870912)',
  },
  WEBHOOK_HOSTS: {
    schema: allowedHosts.default(new Set()),
    help: 'hosts on private addresses that webhooks may call, host or host:port, with commas between',
  },
  HOOK_SECONDS: {
    schema: count.refine((seconds) => seconds <= 3600, 'at most 3600').default(60),
    help: 'how long each program of pre-receive.d and post-receive.d may run (default: 60)',
  },
  LOCAL_RUNNER: {
    schema: z.literal('for-trying-out').optional(),
    help: 'for-trying-out: lets the runner be on the forge’s own machine, and says so on its pages',
  },
} as const

/** Empty for what is no URL, which is a fault of its own. */
const hostOf = (url: string): string => URL.parse(url)?.hostname ?? ''

/** Names of the machine itself. An address of it that is none of these cannot be told from another machine’s. */
const isLoopback = (url: string): boolean => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostOf(url))

const isName = (url: string): boolean => isIP(hostOf(url).replace(/^\[|\]$/g, '')) === 0

const environment = z
  .object({
    DATA_DIR: configKeys.DATA_DIR.schema,
    REPOS_DIR: configKeys.REPOS_DIR.schema,
    LISTEN: configKeys.LISTEN.schema,
    PUBLIC_URL: configKeys.PUBLIC_URL.schema,
    TLS: configKeys.TLS.schema,
    OWNER_TOKEN_FILE: configKeys.OWNER_TOKEN_FILE.schema,
    WORKSPACE_CONTROLLER_URL: configKeys.WORKSPACE_CONTROLLER_URL.schema,
    WORKSPACE_CONTROLLER_SECRET: configKeys.WORKSPACE_CONTROLLER_SECRET.schema,
    PUSH_MAX_BYTES: configKeys.PUSH_MAX_BYTES.schema,
    PUSH_MAX_OBJECT_BYTES: configKeys.PUSH_MAX_OBJECT_BYTES.schema,
    PUSH_MAX_OBJECTS: configKeys.PUSH_MAX_OBJECTS.schema,
    PUSH_MAX_REFS: configKeys.PUSH_MAX_REFS.schema,
    GIT_PROCESSES: configKeys.GIT_PROCESSES.schema,
    GIT_PROCESSES_PER_REPO: configKeys.GIT_PROCESSES_PER_REPO.schema,
    REQUESTS_PER_ADDRESS: configKeys.REQUESTS_PER_ADDRESS.schema,
    REQUESTS_PER_TOKEN: configKeys.REQUESTS_PER_TOKEN.schema,
    FAILED_SIGN_INS: configKeys.FAILED_SIGN_INS.schema,
    PACK_CACHE_BYTES: configKeys.PACK_CACHE_BYTES.schema,
    PACK_CACHE_REPO_BYTES: configKeys.PACK_CACHE_REPO_BYTES.schema,
    WEBHOOK_HOSTS: configKeys.WEBHOOK_HOSTS.schema,
    HOOK_SECONDS: configKeys.HOOK_SECONDS.schema,
    LOCAL_RUNNER: configKeys.LOCAL_RUNNER.schema,
  })
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
