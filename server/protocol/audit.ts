/** What the audit log can say. An `…-intended` entry is on disk before its effect; its `…-done` names it by `intent`. */
import { z } from 'zod'
import { attemptNumber, commitId, digest, iso, jobId, repoName, tokenId } from './ids.ts'
import { agent, jobState, reason } from './jobs.ts'
import { refGlob, refName } from './refs.ts'
import { purpose, used } from './runner.ts'
import { webhookId } from './webhooks.ts'

const refUpdate = z.object({ ref: refName, old: commitId.nullable(), new: commitId.nullable() })
const intent = z.int().positive()
const moved = z.boolean()

export const auditEvent = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('token-created'),
    token: tokenId,
    label: z.string(),
    scope: z.object({ repo: repoName, refs: refGlob, expires: iso }).nullable(),
    by: tokenId.nullable(),
    job: jobId.nullable(),
  }),
  z.object({
    type: z.literal('token-revoked'),
    token: tokenId,
    by: tokenId.nullable(),
    job: jobId.nullable(),
  }),
  z.object({ type: z.literal('repository-created'), repo: repoName, by: tokenId }),
  z.object({ type: z.literal('repository-delete-intended'), repo: repoName, by: tokenId }),
  z.object({ type: z.literal('repository-delete-done'), repo: repoName, intent, moved }),
  /** `host`: the address without its path, which some consumers keep a secret in. `repo` null: every repository. */
  z.object({
    type: z.literal('webhook-created'),
    webhook: webhookId,
    repo: repoName.nullable(),
    host: z.string(),
    by: tokenId,
  }),
  z.object({ type: z.literal('webhook-deleted'), webhook: webhookId, by: tokenId }),
  z.object({
    type: z.literal('job-created'),
    job: jobId,
    repo: repoName,
    requester: tokenId,
    agent,
    provider: z.string().nullable(),
    model: z.string().nullable(),
    base: z.object({ ref: refName, commit: commitId }),
  }),
  z.object({ type: z.literal('attempt-intended'), job: jobId, attempt: attemptNumber }),
  z.object({
    type: z.literal('container'),
    job: jobId,
    attempt: attemptNumber,
    purpose,
    id: z.string(),
    image: digest,
  }),
  z.object({
    type: z.literal('attempt-done'),
    job: jobId,
    attempt: attemptNumber,
    intent: intent.nullable(),
    state: jobState,
    reason: reason.nullable(),
    used: used.nullable(),
    tokenSpend: z.number().nullable(),
  }),
  z.object({
    type: z.literal('push-intended'),
    job: jobId,
    attempt: attemptNumber,
    repo: repoName,
    by: tokenId,
    updates: z.array(refUpdate),
  }),
  /** `moved`: the refs that hold what was intended, as the refs themselves say. */
  z.object({
    type: z.literal('push-done'),
    job: jobId,
    intent,
    moved: z.array(z.object({ ref: refName, commit: commitId })),
  }),
  z.object({
    type: z.literal('approve-intended'),
    job: jobId,
    attempt: attemptNumber,
    commit: commitId,
    branch: refName,
    old: commitId.nullable(),
    by: tokenId,
  }),
  z.object({ type: z.literal('approve-done'), job: jobId, intent, moved }),
  z.object({
    type: z.literal('rejected'),
    job: jobId,
    attempt: attemptNumber,
    commit: commitId,
    reason: z.string(),
    by: tokenId,
  }),
  z.object({ type: z.literal('cancel-requested'), job: jobId, by: tokenId }),
  z.object({
    type: z.literal('refs-delete-intended'),
    job: jobId,
    repo: repoName,
    refs: z.array(refName),
    /** null: the forge itself, long after the job was over. */
    by: tokenId.nullable(),
  }),
  z.object({ type: z.literal('refs-delete-done'), job: jobId, intent, moved }),
])
export type AuditEvent = z.infer<typeof auditEvent>

/** A line of the log. `hash` is SHA-256 over the line's text before it, which holds the hash of the line before. */
export const auditEntry = z.intersection(
  z.object({
    seq: z.int().positive(),
    at: iso,
    prev: z.string().regex(/^[0-9a-f]{64}$/),
    hash: z.string().regex(/^[0-9a-f]{64}$/),
  }),
  auditEvent,
)
export type AuditEntry = z.infer<typeof auditEntry>
