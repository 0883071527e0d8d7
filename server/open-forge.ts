/** Makes the forge's parts in their order, and ends them in the reverse one. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Logger } from 'pino'
import { openAuditLog } from './audit/log.ts'
import type { Config } from './config.ts'
import type { Forge } from './forge.ts'
import { openForgeHost } from './git/forge-host.ts'
import { GitServer } from './git/git-server.ts'
import { startMaintenance } from './git/maintenance.ts'
import { openPackCache } from './git/pack-cache.ts'
import { openRepositories } from './git/repositories.ts'
import { openAddressOf } from './http/address.ts'
import { openRateLimit } from './http/rate-limit.ts'
import { openIdentify } from './identity/identify.ts'
import { openSessions } from './identity/sessions.ts'
import { TokenStore } from './identity/token-store.ts'
import { openAttemptBook } from './jobs/attempt-book.ts'
import { openDispatcher } from './jobs/dispatcher.ts'
import { deleteExpiredRefs } from './jobs/expired-refs.ts'
import { openExternalDeadlines } from './jobs/external-deadlines.ts'
import { openFeed } from './jobs/feed.ts'
import { openJobReader } from './jobs/job-rows.ts'
import { reconcile } from './jobs/reconcile.ts'
import { openSerialize } from './jobs/serialize.ts'
import { openOwnerHooks } from './owner-hooks/owner-hooks.ts'
import { openPushPolicy } from './proposals/push-policy.ts'
import { openPushRecords } from './proposals/push-records.ts'
import { openRevisions } from './proposals/revisions.ts'
import type { AttemptNumber, JobId } from './protocol/ids.ts'
import { openDatabase } from './store/database.ts'
import { lockDataFolder } from './store/lock.ts'
import { openWebhooks } from './webhooks/open-webhooks.ts'

/** `close` ends the parts, last made first; each is given its chance, and what one throws is thrown at the end. */
export type OpenForge = Readonly<{ forge: Forge; close(): Promise<void> }>

/**
 * Opens everything below the listening socket: one server a data folder, the database migrated, the audit chain
 * checked, what a crash left open closed. `ca`: what sandboxes must trust to reach this forge.
 */
export const openForge = async (config: Config, log: Logger, ca: string | null): Promise<OpenForge> => {
  const now = Date.now
  await using undo = new AsyncDisposableStack()
  const at = (name: string): string => path.join(config.dataDir, name)
  await mkdir(at('salvaged'), { recursive: true, mode: 0o700 })
  undo.defer(lockDataFolder(at('lock')))
  const db = await openDatabase(at('forge.sqlite'))
  undo.defer(() => db.destroy())
  const audit = await openAuditLog(at('agent-jobs.jsonl'))
  undo.defer(() => audit.close())

  const tokens = new TokenStore(db, audit, now)
  await tokens.endRevoked(audit.lastRevoked())
  const repositories = await openRepositories(config.reposDir)
  const { publicUrl } = config
  const jobs = openJobReader(db, publicUrl)
  const allowed = config.webhookHosts
  const webhooks = openWebhooks({ db, jobs, repositories, publicUrl, allowed, log, now })
  undo.defer(() => webhooks.stop())
  const revisions = openRevisions({ db, webhooks, log, now })
  undo.defer(() => revisions.idle())
  const feed = openFeed()
  const book = openAttemptBook({ db, audit, tokens, feed, now })
  const records = openPushRecords({ db, webhooks, now })
  const pushes = openPushPolicy({ db, audit, tokens, records, revisions, book, publicUrl, now })
  await reconcile({ db, audit, repositories, records, pushes, webhooks, log, now })
  webhooks.wake()

  const deadlines = openExternalDeadlines({ db, book, log, now })
  undo.defer(() => deadlines.stop())
  await deadlines.resume()
  const salvageFile = (job: JobId, attempt: AttemptNumber): string => at(`salvaged/${job}-${attempt}.patch`)
  const address = { url: publicUrl, ca }
  const dispatcher = openDispatcher({
    db,
    tokens,
    book,
    runner: config.runner,
    address,
    salvageFile,
    log,
    now,
  })
  undo.defer(() => dispatcher.stop())
  dispatcher.wake()

  const addressOf = openAddressOf(config)
  const identities = openIdentify({
    tokens,
    addressOf,
    failures: openRateLimit({ perMinute: config.rates.failures }),
    uses: openRateLimit({ perMinute: config.rates.perToken }),
  })
  const { packCache } = config
  const packs =
    packCache && (await openPackCache(at('pack-cache'), packCache.maxBytes, packCache.maxRepoBytes))
  undo.defer(() => packs?.close())
  const ownerHooks = openOwnerHooks({ dataDir: config.dataDir, limitMs: config.hookMs })
  const git = new GitServer(config.reposDir, {
    autoCreate: false,
    host: openForgeHost({ repositories, ...identities, pushes: pushes.policy, ownerHooks }),
    limits: config.git,
    packs,
    onFault: (error) => log.error({ err: error }, 'a git request failed'),
  })
  const forge: Forge = {
    config,
    log,
    now,
    db,
    audit,
    tokens,
    ...identities,
    addressOf,
    sessions: openSessions(db, now),
    repositories,
    git,
    jobs,
    webhooks,
    feed,
    serialize: openSerialize(),
    dispatcher,
    deadlines,
    revisions,
    salvageFile,
  }
  const maintenance = startMaintenance({
    repositories,
    isBusy: (path) => git.isBusy(path),
    isServed: async (path) => (await git.refusedBecause(path)) === null,
    tidy: (name, path) => deleteExpiredRefs(forge, name, path),
    log,
  })
  undo.defer(() => maintenance.stop())
  const parts = undo.move()
  return { forge, close: () => parts.disposeAsync() }
}
