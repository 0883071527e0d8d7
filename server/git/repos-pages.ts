/** The pages of repositories. */
import { z } from 'zod'
import { paths } from '../../views/paths.ts'
import { type RepositoriesData, repositoriesPage } from '../../views/repositories.ts'
import { repositoryPage } from '../../views/repository.ts'
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import type { PageHandler, SignedInHandler } from '../http/access.ts'
import { type Context, pageOf, parseBody, repoOf } from '../http/context.ts'
import { flashOf, redirectDone } from '../http/flash.ts'
import { viewerOf } from '../http/viewer.ts'
import type { Session } from '../identity/sessions.ts'
import { type CommitId, type JobId, repoName } from '../protocol/ids.ts'
import { agentRefs, branchRefs, jobOfRef, proposalRef } from '../protocol/refs.ts'
import { describeRepo, readRepos } from './describe-repo.ts'
import { addRepo, removeRepo } from './own-repos.ts'
import { listRefs, type Ref } from './reading.ts'

const renderList = async (
  forge: Forge,
  ctx: Context,
  session: Session | null,
  draft: RepositoriesData['draft'],
): Promise<void> => {
  const { after, limit } = pageOf(ctx, repoName)
  const { items: repos, next } = await readRepos(forge, after, limit)
  ctx.type = 'html'
  ctx.body = repositoriesPage({ viewer: viewerOf(session), flash: flashOf(ctx), repos, next, draft })
}

export const showRepos: PageHandler = (forge, ctx, session) => renderList(forge, ctx, session, null)

/** Creates from the form; a name that cannot be comes back with the reason, to be put right. */
export const submitRepo: SignedInHandler = async (forge, ctx, session) => {
  const { name: given } = parseBody(ctx, z.object({ name: z.string() }))
  const name = repoName.safeParse(given.trim())
  const problem = name.success
    ? await addRepo(forge, session.person, name.data).then(
        () => null,
        (error: unknown) => {
          if (error instanceof ForgeError && error.code === 'already-exists') return error.message
          throw error
        },
      )
    : (name.error.issues[0]?.message ?? 'This cannot be a name.')
  if (problem === null && name.success) {
    redirectDone(ctx, paths.repo(name.data), 'repo-created')
    return
  }
  ctx.status = 400
  await renderList(forge, ctx, session, { name: given, problem: problem ?? '' })
}

const mostProposals = 50

const proposalOf = ({ ref, commit }: Ref): { job: JobId; commit: CommitId }[] => {
  const job = jobOfRef(ref)
  return job !== null && ref === proposalRef(job) ? [{ job, commit }] : []
}

export const showRepo: PageHandler = async (forge, ctx, session) => {
  const name = repoOf(ctx)
  const repo = await describeRepo(forge, name)
  const path = await forge.repositories.get(name)
  const served = repo.refused === null
  const branches = served ? await listRefs(path, branchRefs) : []
  const proposals = served ? (await listRefs(path, agentRefs)).flatMap(proposalOf) : []
  const newest = proposals.sort((a, b) => b.job - a.job).slice(0, mostProposals)
  const jobs = session ? await Promise.all(newest.map(({ job }) => forge.jobs.find(name, job))) : []
  ctx.type = 'html'
  ctx.body = repositoryPage({
    viewer: viewerOf(session),
    flash: flashOf(ctx),
    repo,
    branches,
    proposals: newest.map((proposal, index) => ({ ...proposal, about: jobs[index] ?? null })),
  })
}

/** Deletes what the person has typed the name of. */
export const submitDeleteRepo: SignedInHandler = async (forge, ctx, session) => {
  const name = repoOf(ctx)
  const { confirm } = parseBody(ctx, z.object({ confirm: z.string(), understood: z.literal('yes') }))
  if (confirm !== name) throw new ForgeError('bad-request', `Type ${name} to delete ${name}.`)
  await removeRepo(forge, session.person, name)
  redirectDone(ctx, paths.home, 'repo-deleted')
}
