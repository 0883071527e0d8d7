/** `pull_request`: what GitHub would send about a proposal. Pure. */
import type { AgentJob } from '../protocol/api.ts'
import { type CommitId, type Iso, toIso } from '../protocol/ids.ts'
import { proposalRef, type RefName } from '../protocol/refs.ts'
import { type Origin, shortName } from './origin.ts'
import type { Payload } from './payload.ts'
import type { PullRequestShape, UserShape } from './shapes.ts'

/**
 * What has happened to the proposal. `at`: milliseconds since the epoch. What the job's state is by now does not
 * matter: an event tells of its own moment.
 */
export type ProposalNews = Readonly<{ commit: CommitId; at: number }> &
  (
    | Readonly<{ action: 'opened' }>
    | Readonly<{ action: 'synchronize'; before: CommitId }>
    | Readonly<{ action: 'closed'; branch: RefName | null }>
  )

const outcome = (news: ProposalNews, at: Iso, { sender }: Origin) => {
  switch (news.action) {
    case 'opened':
    case 'synchronize':
      return {
        state: 'open',
        closed_at: null,
        merged_at: null,
        merged: false,
        merge_commit_sha: null,
        merged_by: null,
      } as const
    case 'closed': {
      const merged = news.branch !== null
      return {
        state: 'closed',
        closed_at: at,
        merged_at: merged ? at : null,
        merged,
        merge_commit_sha: merged ? news.commit : null,
        merged_by: merged ? sender : null,
      } as const
    }
  }
}

/** The title says no more than a stranger may see: a job's task is for people with a right to it. */
const pullRequest = (
  job: AgentJob,
  author: UserShape,
  news: ProposalNews,
  origin: Origin,
): PullRequestShape => {
  const at = toIso(news.at)
  const { repository } = origin
  const target = (news.action === 'closed' ? news.branch : null) ?? job.base.ref
  const side = (ref: RefName, sha: CommitId) => ({
    label: shortName(ref),
    ref: shortName(ref),
    full_ref: ref,
    sha,
    user: repository.owner,
    repo: repository,
  })
  return {
    id: job.id,
    number: job.id,
    url: `${repository.url}/agent-jobs/${job.id}`,
    html_url: job.url,
    locked: false,
    draft: false,
    title: `Proposal of job ${job.id}`,
    body: null,
    user: author,
    created_at: job.createdAt,
    updated_at: at,
    ...outcome(news, at, origin),
    head: side(proposalRef(job.id), news.commit),
    base: side(target, job.base.commit),
  }
}

/** `author`: whose work it is. */
export const proposalPayload = (
  job: AgentJob,
  author: UserShape,
  news: ProposalNews,
  origin: Origin,
): Payload => {
  const common = { number: job.id, pull_request: pullRequest(job, author, news, origin), ...origin }
  const { action } = news
  switch (action) {
    case 'opened':
    case 'closed':
      return { event: 'pull_request', action, body: { action, ...common } }
    case 'synchronize':
      return {
        event: 'pull_request',
        action,
        body: { action, before: news.before, after: news.commit, ...common },
      }
  }
}
