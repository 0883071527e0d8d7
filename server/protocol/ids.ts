/** Names and numbers that cross a boundary. Only the parsers here make the branded types. */
import { z } from 'zod'

/** A repository: one level, without `.git`; safe as a path segment and as a URL segment. */
export const repoName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'a repository name is 1 to 100 of A-Z a-z 0-9 . _ -')
  .refine((name) => !/\.(lock|git)$/i.test(name), 'a repository name does not end in .lock or .git')
  .brand<'RepoName'>()
export type RepoName = z.infer<typeof repoName>

/** A job of this forge: never reused, also not after its refs are gone. */
export const jobId = z.int().positive().brand<'JobId'>()
export type JobId = z.infer<typeof jobId>

/** A job id as it stands in a URL or ref: decimal, no sign, no leading zero. */
export const jobIdText = z
  .string()
  .regex(/^[1-9][0-9]{0,14}$/, 'a job is named by its number')
  .transform(Number)
  .pipe(jobId)

/** The first try of a job is 1; each follow-up is one more. */
export const attemptNumber = z.int().positive().max(10_000).brand<'AttemptNumber'>()
export type AttemptNumber = z.infer<typeof attemptNumber>

export const attemptNumberText = z
  .string()
  .regex(/^[1-9][0-9]{0,4}$/, 'an attempt is named by its number')
  .transform(Number)
  .pipe(attemptNumber)

/** A git object id, SHA-1 or SHA-256, in lower-case hexadecimal. */
export const commitId = z
  .string()
  .regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/, 'a commit is 40 or 64 hexadecimal digits')
  .brand<'CommitId'>()
export type CommitId = z.infer<typeof commitId>

/** The public half of a token: a lower-case ULID, in logs, hooks and the audit trail. */
export const tokenId = z
  .string()
  .regex(/^[0-7][0-9a-hjkmnp-tv-z]{25}$/, 'a token id is a lower-case ULID')
  .brand<'TokenId'>()
export type TokenId = z.infer<typeof tokenId>

/** A container image by content, never by a name that can move. */
export const digest = z
  .string()
  .regex(/^sha256:[0-9a-f]{64}$/, 'an image is named by its digest, sha256:…')
  .brand<'Digest'>()
export type Digest = z.infer<typeof digest>

/** Date.parse takes February 30th for March 2nd, and hour 24 for the next day's 0. */
const isOnCalendar = (text: string): boolean => {
  const ms = Date.parse(text)
  return !Number.isNaN(ms) && new Date(ms).toISOString() === text
}

/** A moment, UTC, with milliseconds: `2026-01-31T12:00:00.000Z`. */
export const iso = z
  .string()
  .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, 'a time is UTC with milliseconds')
  .refine((text) => isOnCalendar(text), 'there is no such day or hour')
  .brand<'Iso'>()
export type Iso = z.infer<typeof iso>

/** Milliseconds since the epoch, as the wire writes them. */
export const toIso = (ms: number): Iso => iso.parse(new Date(ms).toISOString())
