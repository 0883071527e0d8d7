/** The parts of a running forge, made once in `open-forge.ts` and passed to whoever needs some of them. */
import type { IncomingMessage } from 'node:http'
import type { Logger } from 'pino'
import type { AuditLog } from './audit/log.ts'
import type { Config } from './config.ts'
import type { GitServer } from './git/git-server.ts'
import type { Repositories } from './git/repositories.ts'
import type { Identify } from './identity/identify.ts'
import type { Sessions } from './identity/sessions.ts'
import type { TokenStore } from './identity/token-store.ts'
import type { Dispatcher } from './jobs/dispatcher.ts'
import type { ExternalDeadlines } from './jobs/external-deadlines.ts'
import type { Feed } from './jobs/feed.ts'
import type { JobReader } from './jobs/job-rows.ts'
import type { Serialize } from './jobs/serialize.ts'
import type { Revisions } from './proposals/revisions.ts'
import type { AttemptNumber, JobId } from './protocol/ids.ts'
import type { Database } from './store/database.ts'
import type { Webhooks } from './webhooks/open-webhooks.ts'

export type Forge = Readonly<{
  config: Config
  log: Logger
  /** Milliseconds since the epoch. */
  now: () => number
  db: Database
  audit: AuditLog
  tokens: TokenStore
  identify: Identify['identify']
  verify: Identify['verify']
  addressOf: (request: IncomingMessage) => string
  sessions: Sessions
  repositories: Repositories
  git: GitServer
  jobs: JobReader
  webhooks: Webhooks
  feed: Feed
  /** One decision about a job at a time. */
  serialize: Serialize
  dispatcher: Dispatcher
  deadlines: ExternalDeadlines
  revisions: Revisions
  /** Where the patch of a killed agent's work is kept. */
  salvageFile: (job: JobId, attempt: AttemptNumber) => string
}>
