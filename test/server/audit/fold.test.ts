import t from 'tap'
import { foldJob } from '../../../server/audit/fold.ts'
import type { JobRecord } from '../../../server/protocol/api.ts'
import type { AuditEntry, AuditEvent } from '../../../server/protocol/audit.ts'
import { genesis, type Head, readLine, writeLine } from '../../../server/protocol/audit-chain.ts'
import { digest, toIso } from '../../../server/protocol/ids.ts'
import { proposalRef, revisionRef } from '../../../server/protocol/refs.ts'
import { approveIntended, attempt, by, commit, job, main, now, rejected, repo, topic } from './entries.ts'

const base = { job, repo, requester: by, task: 'do it' }

/** The record of a job in which these events happened, a second apart. */
const fold = (...events: readonly AuditEvent[]): JobRecord => {
  let head: Head = genesis
  const entries: AuditEntry[] = []
  for (const [index, event] of events.entries()) {
    const written = writeLine(head, event, now + index * 1000)
    entries.push(readLine(head, written.line))
    head = written.head
  }
  return foldJob(base, entries)
}

const jobCreated: AuditEvent = {
  type: 'job-created',
  job,
  repo,
  requester: by,
  agent: { kind: 'command', task: 'do it' },
  provider: 'someone',
  model: 'something',
  base: { ref: main, commit },
}
const begun: AuditEvent = { type: 'attempt-intended', job, attempt }
const container: AuditEvent = {
  type: 'container',
  job,
  attempt,
  purpose: 'agent',
  id: 'c0ffee',
  image: digest.parse(`sha256:${'ab'.repeat(32)}`),
}
const ended = (change: Partial<Extract<AuditEvent, { type: 'attempt-done' }>> = {}): AuditEvent => ({
  type: 'attempt-done',
  job,
  attempt,
  intent: 2,
  state: 'proposed',
  reason: null,
  used: null,
  tokenSpend: null,
  ...change,
})
const at = (seq: number) => toIso(now + (seq - 1) * 1000)

t.test('a job of which nothing is known yet has every field, empty', async (t) => {
  t.same(fold(), {
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
})

t.test('an attempt that runs has a start and no end', async (t) => {
  t.match(fold(jobCreated, begun, container), {
    provider: 'someone',
    model: 'something',
    start: at(2),
    end: null,
    containers: ['c0ffee'],
    exitReason: null,
  })
})

t.test('a proposal that was approved has its refs, its decision and who took it', async (t) => {
  const proposal = { ref: proposalRef(job), commit }
  const record = fold(
    jobCreated,
    begun,
    {
      type: 'push-intended',
      job,
      attempt,
      repo,
      by,
      updates: [{ ref: proposal.ref, old: null, new: commit }],
    },
    { type: 'push-done', job, intent: 3, moved: [proposal] },
    ended(),
    approveIntended,
    { type: 'approve-done', job, intent: 6, moved: true },
  )
  t.match(record, { start: at(2), end: at(5), exitReason: 'proposed', decision: 'approved', approver: by })
  const revision = { ref: revisionRef(job, attempt), commit }
  t.same(record.refsWritten, [proposal, revision, { ref: topic, commit }])
})

t.test('an approval whose branch did not move decided nothing', async (t) => {
  t.match(fold(jobCreated, approveIntended, { type: 'approve-done', job, intent: 2, moved: false }), {
    decision: null,
    approver: null,
    refsWritten: [],
  })
  t.match(fold(jobCreated, approveIntended), { decision: null, refsWritten: [] })
})

t.test('a rejection names who rejected', async (t) => {
  t.match(fold(jobCreated, rejected('no')), { decision: 'rejected', approver: by, refsWritten: [] })
})

t.test('an attempt that failed says why', async (t) => {
  t.match(fold(jobCreated, begun, ended({ state: 'failed', reason: 'timeout', tokenSpend: 3 })), {
    exitReason: 'timeout',
    end: at(3),
    tokenSpend: 3,
  })
})

t.test('a second attempt keeps the start and takes over the end', async (t) => {
  const running = fold(jobCreated, begun, ended({ state: 'failed', reason: 'timeout' }), begun)
  t.match(running, { start: at(2), end: null, exitReason: null })
})

t.test('a push of which nothing arrived wrote nothing', async (t) => {
  t.same(fold({ type: 'push-done', job, intent: 1, moved: [] }).refsWritten, [])
})

t.test('work elsewhere has begun when its job was opened', async (t) => {
  const record = fold({ ...jobCreated, agent: { kind: 'external' } }, ended({ intent: null }))
  t.match(record, { start: toIso(now), end: toIso(now + 1000), exitReason: 'proposed', containers: [] })
})
