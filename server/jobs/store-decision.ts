/** The owner's word on a proposal, as it is stored and told. */
import type { AttemptNumber, CommitId, JobId, RepoName, TokenId } from '../protocol/ids.ts'
import type { RefName } from '../protocol/refs.ts'
import type { Database } from '../store/database.ts'
import type { Announcement } from '../webhooks/announcement.ts'
import type { Webhooks } from '../webhooks/open-webhooks.ts'

type NewDecision = Readonly<{
  repo: RepoName
  job: JobId
  attempt: AttemptNumber
  commit: CommitId
  by: TokenId
  /** Whose token that is. */
  person: string
  /** Milliseconds since the epoch. */
  at: number
}> &
  (
    | Readonly<{ verdict: 'approved'; branch: RefName; old: CommitId | null }>
    | Readonly<{ verdict: 'rejected'; reason: string }>
  )

const newsOf = (decision: NewDecision): Announcement[] => {
  const { repo, job, commit, person } = decision
  const sender = { kind: 'person', name: person } as const
  switch (decision.verdict) {
    case 'approved': {
      const { branch, old } = decision
      return [
        { type: 'ref-moved', repo, update: { ref: branch, old, new: commit }, sender },
        { type: 'decided', repo, job, commit, branch, sender },
      ]
    }
    case 'rejected':
      return [{ type: 'decided', repo, job, commit, branch: null, sender }]
  }
}

/** Stores a decision and tells webhooks of it, once: also at the start, for a branch that moved before a crash. */
export const storeDecision = async (
  { db, webhooks }: Readonly<{ db: Database; webhooks: Webhooks }>,
  decision: NewDecision,
): Promise<void> => {
  const { job, attempt, commit, by: token, at, verdict } = decision
  const branch = decision.verdict === 'approved' ? decision.branch : null
  const reason = decision.verdict === 'rejected' ? decision.reason : null
  await db.transaction().execute(async (transaction) => {
    const { numInsertedOrUpdatedRows: fresh } = await transaction
      .insertInto('decisions')
      .values({ job, attempt, verdict, commit, branch, reason, token, at })
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    if (fresh !== 0n) await webhooks.announce(transaction, newsOf(decision))
  })
}
