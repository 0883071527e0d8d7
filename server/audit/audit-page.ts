/** The page of the audit. */
import { auditPage } from '../../views/audit.ts'
import type { SignedInHandler } from '../http/access.ts'
import { pageOf } from '../http/context.ts'
import { flashOf } from '../http/flash.ts'
import { personOf } from '../http/viewer.ts'
import { jobIdText } from '../protocol/ids.ts'
import { readRecords } from './audit-api.ts'

export const showAudit: SignedInHandler = async (forge, ctx, session) => {
  const { after, limit } = pageOf(ctx, jobIdText)
  const { items: records, next } = await readRecords(forge, after, limit)
  const ids = records.flatMap(({ requester, approver }) =>
    approver === null ? [requester] : [requester, approver],
  )
  const { seq, hash } = forge.audit.head()
  ctx.type = 'html'
  ctx.body = auditPage({
    viewer: personOf(session),
    flash: flashOf(ctx),
    records,
    next,
    labels: await forge.tokens.labels(ids),
    head: seq === 0 ? null : hash,
  })
}
