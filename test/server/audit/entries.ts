/** Events for a log. */
import type { AuditEvent } from '../../../server/protocol/audit.ts'
import { attemptNumber, commitId, jobId, repoName, tokenId } from '../../../server/protocol/ids.ts'
import { refName } from '../../../server/protocol/refs.ts'

export const now = Date.parse('2026-11-30T12:00:00.000Z')
export const by = tokenId.parse('01jdz3k8m2n4p6q8r0s2t4v6w8')
export const repo = repoName.parse('hello')
export const job = jobId.parse(42)
export const attempt = attemptNumber.parse(1)
export const commit = commitId.parse('ab'.repeat(20))
export const main = refName.parse('refs/heads/main')
export const topic = refName.parse('refs/heads/topic')

export const created: AuditEvent = { type: 'repository-created', repo, by }
export const rejected = (reason: string): AuditEvent => ({
  type: 'rejected',
  job,
  attempt,
  commit,
  reason,
  by,
})
export const approveIntended: AuditEvent = {
  type: 'approve-intended',
  job,
  attempt,
  commit,
  branch: topic,
  old: null,
  by,
}
