/** The JSON of `/api/v1`: what the forge answers and what it takes. */
import { z } from 'zod'
import { attemptNumber, commitId, digest, iso, jobId, repoName, tokenId } from './ids.ts'
import { agent, agentKind, jobState, reason } from './jobs.ts'
import { branchName, refGlob, refName } from './refs.ts'
import { isPlain, purpose, used } from './runner.ts'

/** The most a task may hold, in bytes of UTF-8. More is 413. */
export const taskMaxBytes = 64 * 1024

export const apiError = z.object({
  error: z.object({
    code: z.string(),
    message: z.string(),
    issues: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
  }),
})

/** A page of a list; `next` goes into `?after=` for the following page. */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.object({ items: z.array(item), next: z.string().nullable() })

export const repo = z.object({
  name: repoName,
  /** Full name of the branch HEAD points to, also when it is yet unborn. */
  defaultBranch: refName.nullable(),
  empty: z.boolean(),
  /** Why the repository is not served, where it is not. */
  refused: z.string().nullable(),
  cloneUrl: z.string(),
  url: z.string(),
})
export type Repo = z.infer<typeof repo>

export const createRepo = z.strictObject({ name: repoName })

const scope = z.object({
  repo: repoName,
  refs: refGlob,
  expires: iso,
  capabilities: z.array(z.literal('push:agent-ref')),
})

export const token = z.object({
  id: tokenId,
  kind: z.enum(['personal', 'job']),
  label: z.string(),
  scope: scope.nullable(),
  createdAt: iso,
  revokedAt: iso.nullable(),
})
export type Token = z.infer<typeof token>

/** Without a scope: a personal access token. With one: a job token, for two hours at most. */
export const createToken = z.strictObject({
  label: z.string().trim().min(1).max(200),
  scope: z.strictObject({ repo: repoName, refs: refGlob, expires: iso }).optional(),
})

/** The only answer that ever holds the token's text. */
export const createdToken = token.extend({ token: z.string() })

export const whoAmI = z.object({ tokenId, label: z.string(), person: z.string() })

const testRun = z.object({
  against: z.enum(['proposal', 'base-tests']),
  result: z.enum(['passed', 'failed', 'not-run']),
  why: z.string().nullable(),
  exit: z.int().nullable(),
  ms: z.number(),
})
export type TestRun = z.infer<typeof testRun>

export const attempt = z.object({
  number: attemptNumber,
  state: jobState,
  reason: reason.nullable(),
  startedAt: iso.nullable(),
  endedAt: iso.nullable(),
  image: digest.nullable(),
  containers: z.array(z.object({ purpose, id: z.string() })),
  tests: z.array(testRun),
  used: used.nullable(),
  salvagedBytes: z.int().nullable(),
})
export type Attempt = z.infer<typeof attempt>

export const decision = z.object({
  verdict: z.enum(['approved', 'rejected']),
  commit: commitId,
  branch: refName.nullable(),
  reason: z.string().nullable(),
  by: tokenId,
  at: iso,
})
export type Decision = z.infer<typeof decision>

export const agentJob = z.object({
  id: jobId,
  repo: repoName,
  agent,
  task: z.string(),
  state: jobState,
  reason: reason.nullable(),
  base: z.object({ ref: refName, commit: commitId }),
  requester: tokenId,
  createdAt: iso,
  attempts: z.array(attempt),
  proposal: z
    .object({ attempt: attemptNumber, commit: commitId, ref: refName, revision: refName })
    .nullable(),
  decision: decision.nullable(),
  /** The job's page, which becomes the proposal's page. */
  url: z.string(),
})
export type AgentJob = z.infer<typeof agentJob>

/** `base`: a branch by its short name; the default branch where it is left out. */
export const createAgentJob = z.strictObject({
  task: z.string().trim().min(1).refine(isPlain, 'a task is text without NUL and without half characters'),
  base: branchName.optional(),
  agent: agentKind.default('command'),
})

/** How an agent elsewhere brings its work: the job's token, in no other answer, and the git commands that use it. */
export const agentAccess = z.object({
  token: z.string(),
  expires: iso,
  /** For a shell in which JOB_TOKEN is the token: clone, commit, push. */
  commands: z.tuple([z.string(), z.string(), z.string()]),
})
export type AgentAccess = z.infer<typeof agentAccess>

/** `access`: null where a runner does the work. */
export const createdAgentJob = agentJob.extend({ access: agentAccess.nullable() })
export type CreatedAgentJob = z.infer<typeof createdAgentJob>

/** What the reviewer saw (`commit`), where it shall go, and what was there (`old`; null: the branch is new). */
export const approveJob = z.strictObject({ commit: commitId, branch: branchName, old: commitId.nullable() })

export const rejectJob = z.strictObject({ reason: z.string().trim().min(1).max(4000) })

/** A line of the audit: every field that the specification names, one record a job. */
export const jobRecord = z.object({
  job: jobId,
  repo: repoName,
  requester: tokenId,
  task: z.string(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  containers: z.array(z.string()),
  start: iso.nullable(),
  end: iso.nullable(),
  exitReason: z.string().nullable(),
  tokenSpend: z.number().nullable(),
  refsWritten: z.array(z.object({ ref: refName, commit: commitId })),
  decision: z.enum(['approved', 'rejected']).nullable(),
  approver: tokenId.nullable(),
})
export type JobRecord = z.infer<typeof jobRecord>

/**
 * Server-sent events of a job: the SSE `event` is `job`, its `id` `<attempt>.<seq>`, its data
 * `{ attempt, ...JobEvent }`; and `state`, whose data is this, sent at once and at each change.
 * `?after=<attempt>.<seq>` begins behind that event, as Last-Event-ID does.
 * The stream ends after a state that is not active.
 */
export const stateEvent = z.object({ attempt: attemptNumber, state: jobState, reason: reason.nullable() })
export type StateEvent = z.infer<typeof stateEvent>
