/** A job's record, as the audit log alone tells it. */
import type { JobRecord } from '../protocol/api.ts'
import type { AuditEntry } from '../protocol/audit.ts'
import { proposalRef, revisionRef } from '../protocol/refs.ts'

type Base = Pick<JobRecord, 'job' | 'repo' | 'requester' | 'task'>

const blank = (base: Base): JobRecord => ({
  ...base,
  provider: null,
  model: null,
  containers: [],
  start: null,
  end: null,
  exitReason: null,
  tokenSpend: null,
  refsWritten: [],
  decision: null,
  approver: null,
})

/** The unmoving copy that the forge made of a proposal that arrived. */
const revisionsOf = (
  entry: Extract<AuditEntry, { type: 'push-done' }>,
  all: readonly AuditEntry[],
): JobRecord['refsWritten'] => {
  const intent = all.find(({ seq }) => seq === entry.intent)
  const proposal = entry.moved.find(({ ref }) => ref === proposalRef(entry.job))
  if (intent?.type !== 'push-intended' || !proposal) return []
  return [{ ref: revisionRef(entry.job, intent.attempt), commit: proposal.commit }]
}

const take = (record: JobRecord, entry: AuditEntry, all: readonly AuditEntry[]): JobRecord => {
  switch (entry.type) {
    case 'job-created':
      return {
        ...record,
        provider: entry.provider,
        model: entry.model,
        start: entry.agent.kind === 'external' ? entry.at : null,
      }
    case 'attempt-intended':
      return { ...record, start: record.start ?? entry.at, end: null, exitReason: null }
    case 'container':
      return { ...record, containers: [...record.containers, entry.id] }
    case 'attempt-done':
      return {
        ...record,
        end: entry.at,
        exitReason: entry.reason ?? entry.state,
        tokenSpend: entry.tokenSpend,
      }
    case 'push-done':
      return { ...record, refsWritten: [...record.refsWritten, ...entry.moved, ...revisionsOf(entry, all)] }
    case 'approve-done': {
      const intent = all.find(({ seq }) => seq === entry.intent)
      if (!entry.moved || intent?.type !== 'approve-intended') return record
      const written = { ref: intent.branch, commit: intent.commit }
      return {
        ...record,
        decision: 'approved',
        approver: intent.by,
        refsWritten: [...record.refsWritten, written],
      }
    }
    case 'rejected':
      return { ...record, decision: 'rejected', approver: entry.by }
    case 'token-created':
    case 'token-revoked':
    case 'repository-created':
    case 'webhook-created':
    case 'webhook-deleted':
    case 'repository-delete-intended':
    case 'repository-delete-done':
    case 'push-intended':
    case 'approve-intended':
    case 'cancel-requested':
    case 'refs-delete-intended':
    case 'refs-delete-done':
      return record
  }
}

/** Folds a job's entries, oldest first, into the record that the specification names field by field. */
export const foldJob = (base: Base, entries: readonly AuditEntry[]): JobRecord =>
  entries.reduce((record, entry) => take(record, entry, entries), blank(base))
