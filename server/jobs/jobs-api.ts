/** `/api/v1/repos/:name/agent-jobs`. */
import type { PersonHandler } from '../http/access.ts'
import { jobOf, pageOf, parseBody, repoOf, toPage } from '../http/context.ts'
import { approveJob, type CreatedAgentJob, createAgentJob, rejectJob } from '../protocol/api.ts'
import { jobIdText } from '../protocol/ids.ts'
import { createJob } from './create-job.ts'
import { approve, getJob, reject } from './decisions.ts'
import { giveAccess } from './external-access.ts'
import { cancel, deleteJobRefs } from './job-actions.ts'

export const listJobs: PersonHandler = async ({ repositories, jobs }, ctx) => {
  const repo = repoOf(ctx)
  await repositories.get(repo)
  const { after, limit } = pageOf(ctx, jobIdText)
  ctx.body = toPage(await jobs.list(repo, after, limit + 1), limit, ({ id }) => String(id))
}

export const postJob: PersonHandler = async (forge, ctx, person) => {
  const repo = repoOf(ctx)
  const id = await createJob(forge, person, repo, parseBody(ctx, createAgentJob))
  const job = await getJob(forge, repo, id)
  const access = job.agent.kind === 'external' ? await giveAccess(forge, person, job) : null
  ctx.status = 201
  ctx.body = { ...job, access } satisfies CreatedAgentJob
}

export const showJob: PersonHandler = async (forge, ctx) => {
  ctx.body = await getJob(forge, repoOf(ctx), jobOf(ctx))
}

export const postApprove: PersonHandler = async (forge, ctx, person) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  await approve(forge, person, repo, id, parseBody(ctx, approveJob))
  ctx.body = await getJob(forge, repo, id)
}

export const postReject: PersonHandler = async (forge, ctx, person) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  const { reason } = parseBody(ctx, rejectJob)
  await reject(forge, person, repo, id, { reason, seen: null })
  ctx.body = await getJob(forge, repo, id)
}

export const postCancel: PersonHandler = async (forge, ctx, person) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  await cancel(forge, person, repo, id)
  ctx.status = 202
  ctx.body = await getJob(forge, repo, id)
}

export const deleteRefs: PersonHandler = async (forge, ctx, person) => {
  await deleteJobRefs(forge, person, repoOf(ctx), jobOf(ctx))
  ctx.status = 204
}
