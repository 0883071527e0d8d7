/** The parts of the forge's API that the command line uses. */
import type { z } from 'zod'
import * as api from '../../../server/protocol/api.ts'
import type { CommitId, JobId, RepoName } from '../../../server/protocol/ids.ts'
import { Failure } from '../failure.ts'
import type { Forge } from './address.ts'
import { ask } from './ask.ts'

const reposPath = '/api/v1/repos'
const jobsPath = (repo: RepoName): string => `${reposPath}/${repo}/agent-jobs`
export const jobPath = (repo: RepoName, job: JobId): string => `${jobsPath(repo)}/${job}`

const pageSize = 100

/** Every item of a list, gathered page by page. */
const listAll = async <T>(forge: Forge, path: string, item: z.ZodType<T>): Promise<T[]> => {
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
