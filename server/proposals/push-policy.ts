/** What the forge does about a push: decides with the pure rules and the job's state, records, and settles what is open. */
import { decidePush, type RefUpdate } from '../../hooks/decide-push.ts'
import type { AuditLog } from '../audit/log.ts'
import type { HookAnswer } from '../git/hook-line.ts'
import { descendsFrom, type Quarantine } from '../git/inspect-push.ts'
import type { PushInProgress, PushPolicy } from '../git/push.ts'
import { readRefMap } from '../git/reading.ts'
import type { TokenStore } from '../identity/token-store.ts'
import type { AttemptBook } from '../jobs/attempt-book.ts'
import type { AuditEntry } from '../protocol/audit.ts'
import type { CommitId, JobId } from '../protocol/ids.ts'
import { agent } from '../protocol/jobs.ts'
import { jobFolder, proposalRef } from '../protocol/refs.ts'
import type { Database } from '../store/database.ts'
import { findOpenAttempt, type OpenAttempt } from './open-attempt.ts'
import type { PushRecords } from './push-records.ts'
import type { Revisions } from './revisions.ts'

type Parts = Readonly<{
  db: Database
  audit: AuditLog
  tokens: TokenStore
  records: PushRecords
  revisions: Revisions
  book: AttemptBook
  publicUrl: string
  now: () => number
}>

type PushIntent = Extract<AuditEntry, { type: 'push-intended' }>

/** Refs that a job may have: room for notes beside its proposals, and an end. */
const mostJobRefs = 1000

const accept: HookAnswer = { say: [], ok: true }
const refuse = (reason: string): HookAnswer => ({ say: [`refused: ${reason}`], ok: false })

export const openPushPolicy = ({ db, audit, tokens, records, revisions, book, publicUrl, now }: Parts) => {
  /** Intents of pushes that are under way, by push. */
  const intents = new Map<string, PushIntent>()
  /** Jobs of agents elsewhere, and the push that each has under way: two would take the same attempt. */
  const pushing = new Map<JobId, string>()

  /** Why this update of the proposal is refused, or null. */
  const judgeProposal = async (
    { base, collected, proposed }: OpenAttempt,
    commit: CommitId,
    at: Quarantine | { repo: string },
  ): Promise<string | null> => {
    if (collected !== null && commit !== collected)
      return 'this is not the commit that was collected from the sandbox.'
    if (proposed !== null && commit !== proposed) return 'this attempt has its proposal already.'
    if (!(await descendsFrom(at, commit, base)))
      return `a proposal must descend from the job’s base, ${base}.`
    return null
  }

  const decideForJob = async (
    push: PushInProgress,
    job: JobId,
    updates: readonly RefUpdate[],
    quarantine: Quarantine | null,
  ): Promise<HookAnswer> => {
    const attempt = await findOpenAttempt(db, job)
    if (!attempt) return refuse(`job ${job} does not wait for a proposal.`)
    if (attempt.external) {
      if (pushing.has(job)) return refuse(`another push of job ${job} is under way. Push again in a moment.`)
      pushing.set(job, push.id)
    }
    const proposal = updates.find(({ ref }) => ref === proposalRef(job))
    if (proposal?.new) {
      const reason = await judgeProposal(attempt, proposal.new, quarantine ?? { repo: push.path })
      if (reason !== null) return refuse(reason)
    }
    const refs = await readRefMap(push.path, jobFolder(job))
    if (refs.size + updates.length > mostJobRefs) return refuse(`a job has ${mostJobRefs} refs at most.`)
    const intent = await audit.append(
      {
        type: 'push-intended',
        job,
        attempt: attempt.number,
        repo: push.repo,
        by: push.pusher.token,
        updates: [...updates],
      },
      now(),
    )
    if (intent.type === 'push-intended') intents.set(push.id, intent)
    return accept
  }

  /** Closes an intent from the refs themselves, and records the proposal if it is there. */
  const settleIntent = async (intent: PushIntent, path: string): Promise<void> => {
    const { job, attempt, repo, by: token } = intent
    const refs = await readRefMap(path, jobFolder(job))
    const moved = intent.updates.flatMap(({ ref, new: commit }) =>
      commit !== null && refs.get(ref) === commit ? [{ ref, commit }] : [],
    )
    const proposal = moved.find(({ ref }) => ref === proposalRef(job))
    if (proposal) {
      await revisions.record({ job, attempt, repo, path, commit: proposal.commit, token })
      const row = await db.selectFrom('jobs').select('agent').where('id', '=', job).executeTakeFirstOrThrow()
      if (agent.parse(JSON.parse(row.agent)).kind === 'external') await book.brought(job, attempt)
    }
    await audit.append({ type: 'push-done', job, intent: intent.seq, moved }, now())
  }

  const settleOnce = async (push: PushInProgress): Promise<PushIntent | null> => {
    const intent = intents.get(push.id)
    if (!intent) return null
    intents.delete(push.id)
    await settleIntent(intent, push.path)
    return intent
  }

  const release = ({ id, pusher }: PushInProgress): void => {
    if (pusher.kind === 'job' && pushing.get(pusher.scope.job) === id) pushing.delete(pusher.scope.job)
  }

  const decide = async (
    push: PushInProgress,
    updates: readonly RefUpdate[],
    quarantine: Quarantine | null,
  ): Promise<HookAnswer> => {
    const verdict = decidePush({ pusher: push.pusher, repo: push.repo, updates, now: now() })
    if (!verdict.accept) return refuse(verdict.reason)
    if (!(await tokens.isLive(push.pusher.token))) return refuse('this token was revoked.')
    switch (push.pusher.kind) {
      case 'person':
        return accept
      case 'job':
        return decideForJob(push, push.pusher.scope.job, updates, quarantine)
    }
  }

  const policy: PushPolicy = {
    async decide(push, updates, quarantine) {
      const answer = await decide(push, updates, quarantine)
      if (answer.ok) await records.open(push, updates)
      return answer
    },

    async record(push, updates) {
      await records.close(push, updates)
      const intent = await settleOnce(push)
      if (!intent?.updates.some(({ ref }) => ref === proposalRef(intent.job))) return []
      const { hash } = audit.head()
      return [
        '',
        'Proposal:',
        `  ${publicUrl}/repos/${push.repo}/jobs/${intent.job}`,
        `Audit head: ${hash}`,
        '',
      ]
    },

    async settle(push, mayHaveMoved) {
      try {
        await (mayHaveMoved ? records.settle(push.id, push.path) : records.drop(push.id))
      } finally {
        await settleOnce(push).finally(() => release(push))
      }
    },
  }

  return { policy, settleIntent }
}

export type PushPolicies = ReturnType<typeof openPushPolicy>
