/** What the forge and a runner say to each other, over HTTP with the shared secret as a Bearer token. */
import { z } from 'zod'
import {
  type AttemptNumber,
  attemptNumber,
  commitId,
  digest,
  iso,
  type JobId,
  jobId,
  repoName,
} from './ids.ts'
import { reason, sandboxAgent } from './jobs.ts'
import { limits } from './limits.ts'
import { refName } from './refs.ts'

/** Whether text reaches a program as it stands: an argument ends at a NUL, and half a character has no UTF-8. */
export const isPlain = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
const plainText = z.string().min(1).refine(isPlain, 'text without NUL and without half characters')

/** A command line of a repository, for a shell. */
export const shellCommand = plainText.max(8192)

/** The tests of a repository: a command, and the paths that hold tests (for the run with the base's versions). */
export const testCommand = z.object({ command: shellCommand, paths: z.array(plainText).max(100) }).readonly()
export type TestCommand = z.infer<typeof testCommand>

/** A host that a sandbox may reach. `privateAddress`: the owner named it although it is not on the Internet. */
export const allowedHost = z
  .object({ host: z.string().min(1).max(253), port: z.int().min(1).max(65535), privateAddress: z.boolean() })
  .readonly()
export type AllowedHost = z.infer<typeof allowedHost>

/** All that a runner needs for one attempt. It carries no secret. */
export const attemptSpec = z
  .object({
    job: jobId,
    attempt: attemptNumber,
    repo: repoName,
    /** `url` ends without a slash; `ca` is PEM where the forge's certificate is its own. */
    forge: z.object({ url: z.url(), ca: z.string().nullable() }).readonly(),
    base: z.object({ ref: refName, commit: commitId }).readonly(),
    /** null: the runner's own sandbox image. */
    image: digest.nullable(),
    agent: sandboxAgent,
    setup: shellCommand.nullable(),
    test: testCommand.nullable(),
    limits,
    allow: z.array(allowedHost).max(100).readonly(),
  })
  .readonly()
export type AttemptSpec = z.infer<typeof attemptSpec>

/** How many times the tests run: the proposal's, and the base's where paths of tests are declared. */
const testRuns = ({ test }: Pick<AttemptSpec, 'test'>): 0 | 1 | 2 =>
  test === null ? 0 : test.paths.length > 0 ? 2 : 1

/** The most that the agent and the tests may last together. Forge and runner each add their own slack. Milliseconds. */
export const workMs = (spec: Pick<AttemptSpec, 'limits' | 'test'>): number =>
  spec.limits.wallMs + testRuns(spec) * spec.limits.testMs

export const step = z.enum(['setup', 'clone', 'agent', 'collect', 'push', 'verify'])
export type Step = z.infer<typeof step>

export const purpose = z.enum(['agent', 'collect', 'courier', 'verify'])
export type Purpose = z.infer<typeof purpose>

/** What an attempt used, as far as it could be read. */
export const used = z
  .object({ wallMs: z.number(), cpuMs: z.number(), peakBytes: z.number(), diskBytes: z.number() })
  .readonly()
export type Used = z.infer<typeof used>

export const logText = z.string().max(8192)

/** The most that is kept of what a killed agent had written, as a patch. Bytes. */
export const salvageMaxBytes = 64 * 1024 * 1024

/** What happened in an attempt, without its number and time. */
export const jobEventBody = z.discriminatedUnion('type', [
  z.object({ type: z.literal('container'), purpose, id: z.string().max(128), image: digest }),
  z.discriminatedUnion('status', [
    z.object({ type: z.literal('step'), step, status: z.literal('started') }),
    z.object({
      type: z.literal('step'),
      step,
      status: z.literal('ended'),
      exit: z.int().nullable(),
      ms: z.number(),
    }),
  ]),
  z.object({ type: z.literal('log'), step, stream: z.enum(['out', 'err']), text: logText }),
  z.object({ type: z.literal('dropped'), step, bytes: z.number() }),
  z.object({
    type: z.literal('egress'),
    host: z.string().max(255),
    port: z.int().min(0).max(65535),
    allowed: z.boolean(),
    why: z.string().max(512),
  }),
  /** The work is a commit; the forge answers with a token for it. */
  z.object({ type: z.literal('collected'), head: commitId, commits: z.int().nonnegative() }),
  /** A patch of what a killed agent had written can be fetched. */
  z.object({ type: z.literal('salvaged'), bytes: z.int().nonnegative() }),
  /** A hint; the hook's record decides. */
  z.object({ type: z.literal('pushed'), ref: refName, commit: commitId }),
  /** `against`: the proposal's own tests, or the base's versions of the declared test paths. */
  z.object({
    type: z.literal('tested'),
    against: z.enum(['proposal', 'base-tests']),
    result: z.enum(['passed', 'failed', 'not-run']),
    why: z.string().max(512).nullable(),
    exit: z.int().nullable(),
    ms: z.number(),
  }),
  /** Exactly once, and last. */
  z.object({
    type: z.literal('ended'),
    outcome: z.enum(['proposed', 'no-change', 'failed', 'cancelled']),
    reason: reason.nullable(),
    used,
  }),
])
export type JobEventBody = z.infer<typeof jobEventBody>

/** One event of an attempt: `seq` counts from 1 without gaps. */
export const jobEvent = z.intersection(z.object({ seq: z.int().positive(), at: iso }), jobEventBody)
export type JobEvent = z.infer<typeof jobEvent>

/** A token for the courier of this attempt, sent after `collected`. Sending another replaces it. */
export const courierToken = z.object({ token: z.string().min(1).max(512) }).readonly()

/** What a runner says of itself. */
export const runnerStatus = z
  .object({
    sandboxImage: digest,
    engine: z.string(),
    active: z.array(z.object({ job: jobId, attempt: attemptNumber })),
  })
  .readonly()
export type RunnerStatus = z.infer<typeof runnerStatus>

/**
 * The runner's URLs.
 * - `PUT attempt`: an AttemptSpec; idempotent. 201 taken, 200 known already, 409 another spec under this number.
 * - `DELETE attempt`: acknowledges `ended`; the runner forgets events and patch.
 * - `GET events?after=N`: NDJSON of JobEvent, a blank line every 15 s, ends after `ended`. 404 for an unknown attempt.
 * - `PUT token`: a courierToken. `POST cancel`: ends the attempt, idempotent. `GET salvaged`: the patch.
 * - `GET status`: RunnerStatus.
 */
export const runnerPath = {
  status: '/v1/status',
  attempt: (job: JobId, attempt: AttemptNumber): string => `/v1/jobs/${job}/${attempt}`,
  events: (job: JobId, attempt: AttemptNumber, after: number): string =>
    `/v1/jobs/${job}/${attempt}/events?after=${after}`,
  token: (job: JobId, attempt: AttemptNumber): string => `/v1/jobs/${job}/${attempt}/token`,
  cancel: (job: JobId, attempt: AttemptNumber): string => `/v1/jobs/${job}/${attempt}/cancel`,
  salvaged: (job: JobId, attempt: AttemptNumber): string => `/v1/jobs/${job}/${attempt}/salvaged`,
} as const
