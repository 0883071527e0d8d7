/** All that a job's page shows, gathered. */
import type { DecisionTargets } from '../../views/decision.ts'
import type { JobDetails } from '../../views/job.ts'
import type { Proposal } from '../../views/proposal.ts'
import type { Forge } from '../forge.ts'
import { listMerged, listRefs, readDefaultBranch, resolveRef } from '../git/reading.ts'
import { flagAttention } from '../proposals/attention.ts'
import type { AgentJob } from '../protocol/api.ts'
import type { AuditEntry } from '../protocol/audit.ts'
import type { CommitId, TokenId } from '../protocol/ids.ts'
import { explainReason } from '../protocol/jobs.ts'
import { branchOf, branchRefs } from '../protocol/refs.ts'
import { claimsIn } from './claims.ts'

const logsOnPage = 2000

/** The proposal of a job as git has it, or null while there is none, and after its refs were deleted. */
export const readProposal = async (forge: Forge, job: AgentJob, path: string): Promise<Proposal | null> => {
  if (!job.proposal) return null
  const { attempt, commit, revision } = job.proposal
  if ((await resolveRef(path, revision)) !== commit) return null
  const { commits, diff } = await forge.revisions.changes(path, job.id, attempt)
  return { commit, ref: revision, commits, diff }
}

const freeName = (job: AgentJob, taken: ReadonlySet<string>): string => {
  const name = `job-${job.id}`
  if (!taken.has(name)) return name
  let n = 2
  while (taken.has(`${name}-${n}`)) n += 1
  return `${name}-${n}`
}

const readTargets = async (path: string, job: AgentJob, commit: CommitId): Promise<DecisionTargets> => {
  const [all, merged, main] = await Promise.all([
    listRefs(path, branchRefs),
    listMerged(path, branchRefs, commit),
    readDefaultBranch(path),
  ])
  return {
    suggestion: freeName(job, new Set(all.map(({ ref }) => branchOf(ref)))),
    fastForwards: merged
      .filter(({ ref, commit: old }) => ref !== main && old !== commit)
      .map(({ ref, commit: old }) => ({ branch: branchOf(ref), old })),
  }
}

const tokensIn = (job: AgentJob, entries: readonly AuditEntry[]): TokenId[] => [
  job.requester,
  ...(job.decision ? [job.decision.by] : []),
  ...entries.flatMap((entry) => {
    if ('by' in entry && entry.by !== null) return [entry.by]
    return 'requester' in entry ? [entry.requester] : []
  }),
]

const explain = (
  { state, reason, agent }: AgentJob,
  proposal: Proposal | null,
  holdup: string | null,
): string | null => {
  if (reason !== null) return explainReason(reason)
  if (state === 'proposed' && proposal === null)
    return 'The refs of this job are deleted. There is nothing left to decide on.'
  if (state === 'proposed' && agent.kind === 'external')
    return 'Nothing has been merged. The agent may push another proposal until you decide on this one.'
  return state === 'queued' ? holdup : null
}

export const readDetails = async (
  forge: Forge,
  job: AgentJob,
  path: string,
  proposal: Proposal | null,
): Promise<JobDetails> => {
  const { config, jobs, audit, tokens, dispatcher } = forge
  const shown = job.proposal?.attempt ?? job.attempts.at(-1)?.number
  const attempt = job.attempts.find(({ number }) => number === shown)
  if (!attempt) throw new Error('a job has at least one attempt')
  const [events, entries] = await Promise.all([
    jobs.eventsForPage(job.id, attempt.number, logsOnPage),
    audit.ofJob(job.id),
  ])
  const { seq, hash } = audit.head()
  return {
    job,
    attempt,
    events,
    explanation: explain(job, proposal, dispatcher.holdup()),
    flags: proposal ? flagAttention(proposal.diff.files) : [],
    claims: claimsIn(events),
    targets: proposal
      ? await readTargets(path, job, proposal.commit)
      : { suggestion: `job-${job.id}`, fastForwards: [] },
    audit: { entries, head: seq === 0 ? null : hash },
    labels: await tokens.labels(tokensIn(job, entries)),
    localRunner: config.runner?.local ?? false,
  }
}
