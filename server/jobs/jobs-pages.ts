/** The pages of a repository's jobs, and their forms. */
import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { openedPage } from '../../views/external.ts'
import { jobPage } from '../../views/job.ts'
import { type JobsData, jobsPage } from '../../views/jobs.ts'
import { paths } from '../../views/paths.ts'
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import { describeRepo } from '../git/describe-repo.ts'
import { listRefs } from '../git/reading.ts'
import type { PageHandler, SignedInHandler } from '../http/access.ts'
import { type Context, jobOf, pageOf, parseBody, parseParam, repoOf, toPage } from '../http/context.ts'
import { flashOf, redirectDone } from '../http/flash.ts'
import { personOf } from '../http/viewer.ts'
import type { Session } from '../identity/sessions.ts'
import { type AgentJob, approveJob, createAgentJob, rejectJob } from '../protocol/api.ts'
import { attemptNumberText, commitId, jobIdText } from '../protocol/ids.ts'
import { agentKind } from '../protocol/jobs.ts'
import { branchOf, branchRefs } from '../protocol/refs.ts'
import { createJob } from './create-job.ts'
import { approve, getJob, reject } from './decisions.ts'
import { giveAccess } from './external-access.ts'
import { cancel, deleteJobRefs } from './job-actions.ts'
import { readDetails, readProposal } from './job-page-data.ts'

const renderList = async (
  forge: Forge,
  ctx: Context,
  session: Session,
  draft: JobsData['draft'],
): Promise<void> => {
  const name = repoOf(ctx)
  const { defaultBranch } = await describeRepo(forge, name)
  const { after, limit } = pageOf(ctx, jobIdText)
  const { items, next } = toPage(await forge.jobs.list(name, after, limit + 1), limit, ({ id }) => String(id))
  const branches = (await listRefs(await forge.repositories.getServed(name), branchRefs)).map(
    ({ ref }) => ref,
  )
  const ordered = branches.sort((a, b) => Number(b === defaultBranch) - Number(a === defaultBranch))
  const labels = await forge.tokens.labels(items.map(({ requester }) => requester))
  ctx.type = 'html'
  ctx.body = jobsPage({
    viewer: personOf(session),
    flash: flashOf(ctx),
    now: forge.now(),
    repo: name,
    branches: ordered.map(branchOf),
    jobs: items.map(({ id, state, task, createdAt, requester }) => ({
      id,
      state,
      task,
      createdAt,
      requester: labels.get(requester) ?? requester,
    })),
    next,
    localRunner: forge.config.runner?.local ?? false,
    draft,
  })
}

export const showJobs: SignedInHandler = (forge, ctx, session) => renderList(forge, ctx, session, null)

const jobForm = z.object({ task: z.string(), base: z.string(), agent: agentKind })

/** Browsers send CRLF; a shell would take the CR as part of each command. */
const withoutCr = (text: string): string => text.replaceAll('\r\n', '\n')

/** The answer to the form is the only page that shows the token. */
const renderOpened = async (forge: Forge, ctx: Context, session: Session, job: AgentJob): Promise<void> => {
  const access = await giveAccess(forge, session.person, job)
  const { id, repo, task } = job
  ctx.type = 'html'
  ctx.body = openedPage({ viewer: personOf(session), repo, job: id, task, access })
}

/** Creates from the form; a task that cannot be started comes back with the reason, to be put right. */
export const submitJob: SignedInHandler = async (forge, ctx, session) => {
  const repo = repoOf(ctx)
  const { task: typed, base, agent } = parseBody(ctx, jobForm)
  const parsed = createAgentJob.safeParse({ task: withoutCr(typed), base, agent })
  try {
    if (!parsed.success)
      throw new ForgeError('bad-request', parsed.error.issues[0]?.message ?? 'Check the form.')
    const id = await createJob(forge, session.person, repo, parsed.data)
    if (agent === 'external') await renderOpened(forge, ctx, session, await getJob(forge, repo, id))
    else {
      ctx.status = 303
      ctx.redirect(paths.job(repo, id))
    }
  } catch (error) {
    if (!(error instanceof ForgeError)) throw error
    ctx.status = error.status
    await renderList(forge, ctx, session, { agent, task: typed, base, problem: error.message })
  }
}

export const showJobPage: PageHandler = async (forge, ctx, session) => {
  const name = repoOf(ctx)
  const job = await getJob(forge, name, jobOf(ctx))
  const path = await forge.repositories.getServed(name)
  const proposal = await readProposal(forge, job, path)
  const viewer = session
    ? { ...personOf(session), details: await readDetails(forge, job, path, proposal) }
    : { kind: 'stranger' as const }
  ctx.type = 'html'
  ctx.body = jobPage({
    viewer,
    flash: flashOf(ctx),
    now: forge.now(),
    cloneUrl: `${forge.config.publicUrl}/${name}.git`,
    repo: name,
    job: job.id,
    base: job.base,
    proposal,
  })
}

/** A form sends text: an `old` that is empty says that the branch is new. */
const approveForm = z
  .object({ commit: z.string(), branch: z.string(), old: z.string() })
  .transform(({ old, ...rest }) => ({ ...rest, old: old === '' ? null : old }))
  .pipe(approveJob)

export const submitApprove: SignedInHandler = async (forge, ctx, session) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  await approve(forge, session.person, repo, id, parseBody(ctx, approveForm))
  redirectDone(ctx, paths.job(repo, id), 'approved')
}

const rejectForm = z.object({
  reason: z.string().transform(withoutCr).pipe(rejectJob.shape.reason),
  commit: commitId,
})

export const submitReject: SignedInHandler = async (forge, ctx, session) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  const { reason, commit: seen } = parseBody(ctx, rejectForm)
  await reject(forge, session.person, repo, id, { reason, seen })
  redirectDone(ctx, paths.job(repo, id), 'rejected')
}

export const submitCancel: SignedInHandler = async (forge, ctx, session) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  await cancel(forge, session.person, repo, id)
  redirectDone(ctx, paths.job(repo, id), 'cancelled')
}

export const submitDeleteRefs: SignedInHandler = async (forge, ctx, session) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  parseBody(ctx, z.object({ understood: z.literal('yes') }))
  await deleteJobRefs(forge, session.person, repo, id)
  redirectDone(ctx, paths.job(repo, id), 'refs-deleted')
}

/** What a killed agent had written, as a patch to save; nothing of it was ever pushed. */
export const downloadSalvaged: SignedInHandler = async (forge, ctx) => {
  const job = await getJob(forge, repoOf(ctx), jobOf(ctx))
  const number = parseParam(ctx, 'attempt', attemptNumberText)
  const attempt = job.attempts.find((one) => one.number === number)
  if (!attempt || attempt.salvagedBytes === null) {
    throw new ForgeError('not-found', 'Nothing was salvaged from this attempt.')
  }
  ctx.type = 'text/x-patch; charset=utf-8'
  ctx.attachment(`job-${job.id}-${number}.patch`)
  ctx.body = createReadStream(forge.salvageFile(job.id, number))
}
