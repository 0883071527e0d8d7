/** `/api/v1/agent-jobs`: every job with every field that the specification's audit names. `/api/v1/audit`: the log itself. */
import type { Forge } from '../forge.ts'
import type { PersonHandler } from '../http/access.ts'
import { pageOf, toPage } from '../http/context.ts'
import type { JobRecord } from '../protocol/api.ts'
import { type JobId, jobIdText } from '../protocol/ids.ts'
import { foldJob } from './fold.ts'

/** Records, newest first, with the id from which the next page goes on. */
export const readRecords = async (
  { jobs, audit }: Forge,
  after: JobId | null,
  limit: number,
): Promise<{ items: JobRecord[]; next: string | null }> => {
  const { items, next } = toPage(await jobs.list(null, after, limit + 1), limit, ({ id }) => String(id))
  const records = items.map(async ({ id: job, repo, requester, task }) =>
    foldJob({ job, repo, requester, task }, await audit.ofJob(job)),
  )
  return { items: await Promise.all(records), next }
}

export const listRecords: PersonHandler = async (forge, ctx) => {
  const { after, limit } = pageOf(ctx, jobIdText)
  ctx.body = await readRecords(forge, after, limit)
}

/** Every line of the log, so that its chain can be checked by somebody else than the forge. */
export const streamLog: PersonHandler = async ({ audit }, ctx) => {
  ctx.type = 'application/x-ndjson'
  ctx.body = audit.raw()
}
