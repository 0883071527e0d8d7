/** Which attempt of a job takes the next proposal, if any does. */
import { type AttemptNumber, attemptNumber, type CommitId, commitId, type JobId } from '../protocol/ids.ts'
import { agent, isActive, jobState } from '../protocol/jobs.ts'
import type { Database } from '../store/database.ts'

export type OpenAttempt = Readonly<{
  number: AttemptNumber
  /** An agent elsewhere works on it. */
  external: boolean
  base: CommitId
  /** What a runner has collected, and what this attempt has proposed already. */
  collected: CommitId | null
  proposed: CommitId | null
}>

/**
 * A runner proposes to the attempt that it is at work on. An agent elsewhere proposes until the job is decided on: its
 * first proposal is the attempt that was opened, and each commit after it an attempt of its own.
 */
export const findOpenAttempt = async (db: Database, job: JobId): Promise<OpenAttempt | null> => {
  const row = await db
    .selectFrom('attempts')
    .innerJoin('jobs', 'jobs.id', 'attempts.job')
    .leftJoin('decisions', 'decisions.job', 'attempts.job')
    .leftJoin('revisions', (join) =>
      join.onRef('revisions.job', '=', 'attempts.job').onRef('revisions.attempt', '=', 'attempts.number'),
    )
    .select([
      'attempts.number',
      'attempts.state',
      'attempts.collected',
      'jobs.agent',
      'jobs.base_commit',
      'revisions.commit',
      'decisions.verdict',
    ])
    .where('attempts.job', '=', job)
    .orderBy('attempts.number', 'desc')
    .executeTakeFirst()
  if (!row || row.verdict !== null) return null
  const state = jobState.parse(row.state)
  const external = agent.parse(JSON.parse(row.agent)).kind === 'external'
  const base = commitId.parse(row.base_commit)
  if (isActive(state)) {
    return {
      number: attemptNumber.parse(row.number),
      external,
      base,
      collected: commitId.nullable().parse(row.collected),
      proposed: commitId.nullable().parse(row.commit),
    }
  }
  if (!external || state !== 'proposed') return null
  return { number: attemptNumber.parse(row.number + 1), external, base, collected: null, proposed: null }
}
