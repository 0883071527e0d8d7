/** Start-up: what a crash left open is closed from what is really there. */

import { sql } from 'kysely'
import type { Logger } from 'pino'
import { z } from 'zod'
import type { AuditLog } from '../audit/log.ts'
import { lastRef, listRefs, resolveRef } from '../git/reading.ts'
import type { Repositories } from '../git/repositories.ts'
import type { PushPolicies } from '../proposals/push-policy.ts'
import type { PushRecords } from '../proposals/push-records.ts'
import type { AuditEntry } from '../protocol/audit.ts'
import { jobId, type RepoName, repoName, type TokenId } from '../protocol/ids.ts'
import { jobState, reason } from '../protocol/jobs.ts'
import { agentRefs, jobFolder, jobOfRef } from '../protocol/refs.ts'
import { used } from '../protocol/runner.ts'
import type { Database } from '../store/database.ts'
import type { Webhooks } from '../webhooks/open-webhooks.ts'
import { storeDecision } from './store-decision.ts'

type Parts = Readonly<{
  db: Database
  audit: AuditLog
  repositories: Repositories
  records: PushRecords
  pushes: PushPolicies
  webhooks: Webhooks
  log: Logger
  now: () => number
}>

type Intent<T extends AuditEntry['type']> = Extract<AuditEntry, { type: T }>

const personBehind = async ({ db }: Parts, token: TokenId): Promise<string> => {
  const row = await db
    .selectFrom('tokens')
    .innerJoin('people', 'people.id', 'tokens.person')
    .select('people.name')
    .where('tokens.id', '=', token)
    .executeTakeFirstOrThrow()
  return row.name
}

const closePush = async (
  { audit, repositories, pushes, now }: Parts,
  intent: Intent<'push-intended'>,
): Promise<void> => {
  const path = await repositories.find(intent.repo)
  if (path) await pushes.settleIntent(intent, path)
  else await audit.append({ type: 'push-done', job: intent.job, intent: intent.seq, moved: [] }, now())
}

const closeApproval = async (parts: Parts, intent: Intent<'approve-intended'>): Promise<void> => {
  const { job, attempt, commit, branch, old, by, at: iso, seq } = intent
  const row = await parts.db
    .selectFrom('jobs')
    .innerJoin('tokens', (join) => join.on('tokens.id', '=', by))
    .innerJoin('people', 'people.id', 'tokens.person')
    .select(['jobs.repo', 'people.name as person'])
    .where('jobs.id', '=', job)
    .executeTakeFirst()
  const path = row ? await parts.repositories.find(repoName.parse(row.repo)) : null
  const moved = path !== null && (await resolveRef(path, branch)) === commit
  if (moved && row) {
    const repo = repoName.parse(row.repo)
    const made = { repo, job, attempt, commit, branch, old, by, person: row.person, at: Date.parse(iso) }
    await storeDecision(parts, { verdict: 'approved', ...made })
  }
  await parts.audit.append({ type: 'approve-done', job, intent: seq, moved }, parts.now())
}

const closeDeletion = async (parts: Parts, intent: Intent<'refs-delete-intended'>): Promise<void> => {
  const path = await parts.repositories.find(intent.repo)
  const left = path ? await listRefs(path, jobFolder(intent.job)) : []
  const moved = !left.some(({ ref }) => intent.refs.includes(ref))
  await parts.audit.append(
    { type: 'refs-delete-done', job: intent.job, intent: intent.seq, moved },
    parts.now(),
  )
}

const endedAttempt = z.object({ state: jobState, reason: reason.nullable(), used: used.nullable() })

/** An attempt that ended in the database just before its entry could be written. */
const closeAttempt = async ({ db, audit, now }: Parts, intent: Intent<'attempt-intended'>): Promise<void> => {
  const { job, attempt, seq } = intent
  const row = await db
    .selectFrom('attempts')
    .selectAll()
    .where('job', '=', job)
    .where('number', '=', attempt)
    .where('ended_at', 'is not', null)
    .executeTakeFirst()
  if (!row) return
  const stored: unknown = row.used === null ? null : JSON.parse(row.used)
  const { state, reason, used } = endedAttempt.parse({ ...row, used: stored })
  await audit.append(
    { type: 'attempt-done', job, attempt, intent: seq, state, reason, used, tokenSpend: null },
    now(),
  )
}

/** A rejection is in the log before it is in the database. */
const closeRejections = async (parts: Parts): Promise<void> => {
  const rows = await parts.db
    .selectFrom('jobs')
    .innerJoin('revisions', 'revisions.job', 'jobs.id')
    .leftJoin('decisions', 'decisions.job', 'jobs.id')
    .where('decisions.job', 'is', null)
    .select(['jobs.id', 'jobs.repo'])
    .distinct()
    .execute()
  for (const { id, repo } of rows) {
    const entry = (await parts.audit.ofJob(jobId.parse(id))).findLast(({ type }) => type === 'rejected')
    if (entry?.type !== 'rejected') continue
    const { job, attempt, commit, reason, by, at: iso } = entry
    const person = await personBehind(parts, by)
    const made = { repo: repoName.parse(repo), job, attempt, commit, reason, by, person, at: Date.parse(iso) }
    await storeDecision(parts, { verdict: 'rejected', ...made })
  }
}

const close = async (parts: Parts, intent: AuditEntry): Promise<void> => {
  switch (intent.type) {
    case 'push-intended':
      return closePush(parts, intent)
    case 'approve-intended':
      return closeApproval(parts, intent)
    case 'refs-delete-intended':
      return closeDeletion(parts, intent)
    case 'attempt-intended':
      return closeAttempt(parts, intent)
    case 'repository-delete-intended': {
      const moved = (await parts.repositories.find(intent.repo)) === null
      const { repo, seq } = intent
      if (moved) await parts.webhooks.store.removeOfRepo(repo)
      await parts.audit.append({ type: 'repository-delete-done', repo, intent: seq, moved }, parts.now())
      return
    }
    case 'token-created':
    case 'token-revoked':
    case 'repository-created':
    case 'webhook-created':
    case 'webhook-deleted':
    case 'repository-delete-done':
    case 'job-created':
    case 'container':
    case 'attempt-done':
    case 'push-done':
    case 'approve-done':
    case 'rejected':
    case 'cancel-requested':
    case 'refs-delete-done':
      return
  }
}

/** The highest job that has refs here; 0 for none, and for a repository that git cannot read. */
const lastJobIn = async ({ repositories, log }: Parts, name: RepoName): Promise<number> => {
  try {
    const ref = await lastRef(await repositories.getServed(name), agentRefs)
    return (ref === null ? null : jobOfRef(ref)) ?? 0
  } catch (error) {
    log.warn({ err: error, repo: name }, 'a repository could not be read')
    return 0
  }
}

/** Job ids are never given twice, also when the database is older than the log or the repositories. */
const keepIdsUnique = async (parts: Parts): Promise<void> => {
  const { db, audit, repositories } = parts
  let highest = audit.lastJob()
  for (const name of await repositories.list()) highest = Math.max(highest, await lastJobIn(parts, name))
  const known = await sql<{ seq: number }>`select seq from sqlite_sequence where name = 'jobs'`.execute(db)
  const last = known.rows[0]?.seq
  if (last === undefined)
    await sql`insert into sqlite_sequence (name, seq) values ('jobs', ${highest})`.execute(db)
  else if (last < highest)
    await sql`update sqlite_sequence set seq = ${highest} where name = 'jobs'`.execute(db)
}

/** Closes every open intent. One that cannot be closed is logged and stays open; it never stops the start. */
export const reconcile = async (parts: Parts): Promise<void> => {
  await keepIdsUnique(parts)
  await parts.records.settleAll(parts.repositories, (error) =>
    parts.log.error({ err: error }, 'the record of a push could not be closed'),
  )
  for (const intent of parts.audit.openIntents()) {
    try {
      await close(parts, intent)
    } catch (error) {
      parts.log.error({ err: error, seq: intent.seq }, 'an open intent could not be closed')
    }
  }
  await closeRejections(parts).catch((error: unknown) =>
    parts.log.error({ err: error }, 'a rejection could not be closed'),
  )
}
