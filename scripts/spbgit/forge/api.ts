/** The parts of the forge's API that the command line uses. */
import type { z } from 'zod'
import * as api from '../../../server/protocol/api.ts'
import type { CommitId, Iso, JobId, RepoName, TokenId } from '../../../server/protocol/ids.ts'
import type { RefGlob } from '../../../server/protocol/refs.ts'
import { Failure } from '../failure.ts'
import type { Forge } from './address.ts'
import { ask, tell } from './ask.ts'

const reposPath = '/api/v1/repos'
const jobsPath = (repo: RepoName): string => `${reposPath}/${repo}/agent-jobs`
export const jobPath = (repo: RepoName, job: JobId): string => `${jobsPath(repo)}/${job}`

const pageSize = 100

/** Every item of a list, gathered page by page. */
export const listAll = async <T>(forge: Forge, path: string, item: z.ZodType<T>): Promise<T[]> => {
  const page = api.listOf(item)
  const all: T[] = []
  let after: string | null = ''
  while (after !== null) {
    const asked: string = after === '' ? '' : `&after=${encodeURIComponent(after)}`
    const { items, next } = await ask(forge, page, 'GET', `${path}?limit=${pageSize}${asked}`)
    if (next === after) throw new Failure('unexpected-answer', `${forge.url} gives a page twice.`)
    all.push(...items)
    after = next
  }
  return all
}

export const whoAmI = (forge: Forge) => ask(forge, api.whoAmI, 'GET', '/api/v1/me')

const tokensPath = '/api/v1/tokens'

/** Newest first. */
export const listTokens = (forge: Forge) => listAll(forge, tokensPath, api.token)
export const createToken = (
  forge: Forge,
  wanted: { label: string; scope?: { repo: RepoName; refs: RefGlob; expires: Iso } },
) => ask(forge, api.createdToken, 'POST', tokensPath, wanted)
export const revokeToken = (forge: Forge, id: TokenId) => tell(forge, 'DELETE', `${tokensPath}/${id}`)

export const listRepos = (forge: Forge) => listAll(forge, reposPath, api.repo)
export const createRepo = (forge: Forge, name: RepoName) => ask(forge, api.repo, 'POST', reposPath, { name })

/** The audit record of every job of the forge. */
export const listRecords = (forge: Forge) => listAll(forge, '/api/v1/agent-jobs', api.jobRecord)
export const listJobs = (forge: Forge, repo: RepoName) => listAll(forge, jobsPath(repo), api.agentJob)

export const showJob = (forge: Forge, repo: RepoName, job: JobId) =>
  ask(forge, api.agentJob, 'GET', jobPath(repo, job))

/** `base`: a branch by its short name. */
export const createJob = (forge: Forge, repo: RepoName, wanted: { task: string; base?: string }) =>
  ask(forge, api.agentJob, 'POST', jobsPath(repo), wanted)

const openedJob = api.createdAgentJob.extend({ access: api.agentAccess })

/** A job for an agent elsewhere, with the token that it pushes with. */
export const openJob = (forge: Forge, repo: RepoName, wanted: { task: string; base?: string }) =>
  ask(forge, openedJob, 'POST', jobsPath(repo), { ...wanted, agent: 'external' })

export const cancelJob = (forge: Forge, repo: RepoName, job: JobId) =>
  ask(forge, api.agentJob, 'POST', `${jobPath(repo, job)}/cancel`)

/** Promotes `commit` to the branch (by its short name), if that is still at `old`; null: if it does not exist. */
export const approveJob = (
  forge: Forge,
  repo: RepoName,
  job: JobId,
  verdict: { commit: CommitId; branch: string; old: CommitId | null },
) => ask(forge, api.agentJob, 'POST', `${jobPath(repo, job)}/approve`, verdict)

export const rejectJob = (forge: Forge, repo: RepoName, job: JobId, reason: string) =>
  ask(forge, api.agentJob, 'POST', `${jobPath(repo, job)}/reject`, { reason })
