/** Jobs as the API shows them, made from the database's rows. */
import type { Selectable } from 'kysely'
import type { AgentJob, Attempt, Decision, TestRun } from '../protocol/api.ts'
import {
  type AttemptNumber,
  attemptNumber,
  commitId,
  type JobId,
  jobId,
  type RepoName,
  repoName,
  toIso,
  tokenId,
} from '../protocol/ids.ts'
import { type Agent, agent, type JobState, jobState, reason } from '../protocol/jobs.ts'
import { proposalRef, refName, revisionRef } from '../protocol/refs.ts'
import { type JobEvent, jobEvent, used } from '../protocol/runner.ts'
import type { Database } from '../store/database.ts'
import type { Tables } from '../store/schema.ts'

type JobRow = Selectable<Tables['jobs']>
type AttemptRow = Selectable<Tables['attempts']>

const toIsoOrNull = (ms: number | null) => (ms === null ? null : toIso(ms))

const parseEvent = (row: { seq: number; at: number; body: string }): JobEvent =>
  jobEvent.parse({ ...(JSON.parse(row.body) as object), seq: row.seq, at: toIso(row.at) })

const readEvents = async (db: Database, job: number, types: JobEvent['type'][]) =>
  (
    await db
      .selectFrom('events')
      .selectAll()
      .where('job', '=', job)
      .where('type', 'in', types)
      .orderBy('attempt')
      .orderBy('seq')
      .execute()
  ).map((row) => ({ attempt: row.attempt, event: parseEvent(row) }))

type Facts = Awaited<ReturnType<typeof readEvents>>

/** What nobody ran, said as such: a proposal from elsewhere comes without a runner. */
const unverified: TestRun = {
  against: 'proposal',
  result: 'not-run',
  why: 'An agent elsewhere made this proposal, and no runner has run the tests on it.',
  exit: null,
  ms: 0,
}

const toAttempt = (row: AttemptRow, facts: Facts, { kind }: Agent): Attempt => {
  const own = facts.filter(({ attempt }) => attempt === row.number).map(({ event }) => event)
  const containers = own.flatMap((event) =>
    event.type === 'container' ? [{ purpose: event.purpose, id: event.id, image: event.image }] : [],
  )
  const tests = own.flatMap((event): TestRun[] =>
    event.type === 'tested'
      ? [{ against: event.against, result: event.result, why: event.why, exit: event.exit, ms: event.ms }]
      : [],
  )
  return {
    number: attemptNumber.parse(row.number),
    state: jobState.parse(row.state),
    reason: reason.nullable().parse(row.reason),
    startedAt: toIsoOrNull(row.started_at),
    endedAt: toIsoOrNull(row.ended_at),
    image: containers.find(({ purpose }) => purpose === 'agent')?.image ?? null,
    containers: containers.map(({ purpose, id }) => ({ purpose, id })),
    tests: kind === 'external' && row.state === 'proposed' ? [unverified] : tests,
    used: row.used === null ? null : used.parse(JSON.parse(row.used)),
    salvagedBytes: row.salvaged_bytes,
  }
}

/** A job whose later attempt fails keeps its earlier proposal. */
const stateOf = (attempts: readonly Attempt[], decision: Decision | null, proposed: number | null) => {
  const last = attempts.at(-1)
  if (!last) throw new Error('a job has at least one attempt')
  if (decision) return { state: decision.verdict satisfies JobState, reason: null }
  const kept = attempts.find(({ number, state }) => number === proposed && state === 'proposed')
  const shown =
    last.state === 'failed' || last.state === 'no-change' || last.state === 'cancelled'
      ? (kept ?? last)
      : last
  return { state: shown.state, reason: shown.reason }
}

const readDecision = async (
  db: Database,
  job: number,
): Promise<{ attempt: number; decision: Decision } | null> => {
  const row = await db.selectFrom('decisions').selectAll().where('job', '=', job).executeTakeFirst()
  return row
    ? {
        attempt: row.attempt,
        decision: {
          verdict: row.verdict,
          commit: commitId.parse(row.commit),
          branch: refName.nullable().parse(row.branch),
          reason: row.reason,
          by: tokenId.parse(row.token),
          at: toIso(row.at),
        },
      }
    : null
}

const toAgentJob = async (db: Database, publicUrl: string, row: JobRow): Promise<AgentJob> => {
  const id = jobId.parse(row.id)
  const repo = repoName.parse(row.repo)
  const worker = agent.parse(JSON.parse(row.agent))
  const [rows, facts, revisions, decided] = await Promise.all([
    db.selectFrom('attempts').selectAll().where('job', '=', id).orderBy('number').execute(),
    readEvents(db, id, ['container', 'tested']),
    db
      .selectFrom('revisions')
      .select(['attempt', 'commit'])
      .where('job', '=', id)
      .orderBy('attempt', 'desc')
      .execute(),
    readDecision(db, id),
  ])
  const attempts = rows.map((attempt) => toAttempt(attempt, facts, worker))
  const decision = decided?.decision ?? null
  const revision = decided ? revisions.find(({ attempt }) => attempt === decided.attempt) : revisions[0]
  const proposed = revision ? attemptNumber.parse(revision.attempt) : null
  return {
    id,
    repo,
    agent: worker,
    task: row.task,
    ...stateOf(attempts, decision, proposed),
    base: { ref: refName.parse(row.base_ref), commit: commitId.parse(row.base_commit) },
    requester: tokenId.parse(row.requester),
    createdAt: toIso(row.created_at),
    attempts,
    proposal:
      revision && proposed
        ? {
            attempt: proposed,
            commit: commitId.parse(revision.commit),
            ref: proposalRef(id),
            revision: revisionRef(id, proposed),
          }
        : null,
    decision,
    url: `${publicUrl}/repos/${repo}/jobs/${id}`,
  }
}

/** Where in a job's events: after which one of which attempt. The beginning is 0 and 0. */
export type EventPlace = Readonly<{ attempt: number; seq: number }>
export type PlacedEvent = Readonly<{ attempt: AttemptNumber; event: JobEvent }>

const toPlaced = (row: { attempt: number; seq: number; at: number; body: string }): PlacedEvent => ({
  attempt: attemptNumber.parse(row.attempt),
  event: parseEvent(row),
})

const mostFacts = 5000

export const openJobReader = (db: Database, publicUrl: string) => ({
  /** The job of that repository, or null. */
  async find(repo: RepoName, id: JobId): Promise<AgentJob | null> {
    const row = await db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', id)
      .where('repo', '=', repo)
      .executeTakeFirst()
    return row ? toAgentJob(db, publicUrl, row) : null
  },

  /** Jobs, newest first: of one repository or of all; `before` is the last id of the page before. */
  async list(repo: RepoName | null, before: JobId | null, limit: number): Promise<AgentJob[]> {
    let query = db.selectFrom('jobs').selectAll().orderBy('id', 'desc').limit(limit)
    if (repo) query = query.where('repo', '=', repo)
    if (before) query = query.where('id', '<', before)
    const rows = await query.execute()
    return Promise.all(rows.map((row) => toAgentJob(db, publicUrl, row)))
  },

  /** The next events of a job after a place in it, oldest first. */
  async eventsAfter(job: JobId, { attempt, seq }: EventPlace, limit: number): Promise<PlacedEvent[]> {
    const rows = await db
      .selectFrom('events')
      .selectAll()
      .where('job', '=', job)
      .where((where) =>
        where.or([
          where('attempt', '>', attempt),
          where.and([where('attempt', '=', attempt), where('seq', '>', seq)]),
        ]),
      )
      .orderBy('attempt')
      .orderBy('seq')
      .limit(limit)
      .execute()
    return rows.map(toPlaced)
  },

  /** An attempt's events for a page: all but `log`, and the last `logs` of those. */
  async eventsForPage(job: JobId, attempt: AttemptNumber, logs: number): Promise<JobEvent[]> {
    const all = db.selectFrom('events').selectAll().where('job', '=', job).where('attempt', '=', attempt)
    const [facts, tail] = await Promise.all([
      all.where('type', '!=', 'log').orderBy('seq', 'desc').limit(mostFacts).execute(),
      all.where('type', '=', 'log').orderBy('seq', 'desc').limit(logs).execute(),
    ])
    return [...facts, ...tail].sort((a, b) => a.seq - b.seq).map(parseEvent)
  },
})

export type JobReader = ReturnType<typeof openJobReader>
