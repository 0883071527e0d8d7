/** What the containers of an attempt differ in. All else is the same for each: see `seal.ts`. */
import type { Digest } from '../../../server/protocol/ids.ts'
import type { AttemptSpec, Purpose } from '../../../server/protocol/runner.ts'
import { attemptLabels, type Labels } from './labels.ts'
import { type User, users } from './users.ts'

const MiB = 1024 * 1024

/** A folder in memory that only one container sees. */
export type Scratch = { readonly bytes: number; readonly owner: User }

export type ContainerPlan = {
  readonly purpose: Purpose
  readonly image: Digest
  readonly labels: Labels
  readonly cpus: number
  /** Without swap. Holds also what lies in the work volume and in the scratch folder. */
  readonly memoryBytes: number
  readonly pids: number
  /** PID 1 ends the container after this time, whatever became of the runner. */
  readonly lifeMs: number
  readonly work: { readonly volume: string; readonly readOnly: boolean } | null
  readonly scratch: Scratch | null
}

type Attempt = { readonly runner: string; readonly spec: AttemptSpec }

/** The runner ends a container itself, earlier; this is for when it cannot. */
const graceMs = 60_000

/** What git needs to read, pack and check a repository. */
const gitBytes = 512 * MiB

/** Where the agent works. Its memory is the sum of the memory and disk limits, since the disk is memory. */
export const planAgent = ({ runner, spec }: Attempt, image: Digest, volume: string): ContainerPlan => ({
  purpose: 'agent',
  image,
  labels: attemptLabels(runner, spec, 'agent'),
  cpus: spec.limits.cpus,
  memoryBytes: spec.limits.memoryBytes + spec.limits.diskBytes,
  pids: spec.limits.pids,
  lifeMs: spec.limits.wallMs + graceMs,
  work: { volume, readOnly: false },
  scratch: null,
})

/**
 * Where the agent's files are read as data. It runs beside the agent's container from the start, because the
 * engine empties the volume when the last container that uses it ends; nothing runs in it until then.
 */
export const planCollect = (
  { runner, spec }: Attempt,
  image: Digest,
  volume: string,
  collectMs: number,
): ContainerPlan => ({
  purpose: 'collect',
  image,
  labels: attemptLabels(runner, spec, 'collect'),
  cpus: spec.limits.cpus,
  memoryBytes: gitBytes + spec.limits.diskBytes,
  pids: 64,
  lifeMs: spec.limits.wallMs + collectMs + graceMs,
  work: { volume, readOnly: true },
  scratch: { bytes: spec.limits.diskBytes, owner: users.agent },
})

/** Where the token is, and nothing that the agent could have touched but the objects of its commits. */
export const planCourier = ({ runner, spec }: Attempt, image: Digest, pushMs: number): ContainerPlan => ({
  purpose: 'courier',
  image,
  labels: attemptLabels(runner, spec, 'courier'),
  cpus: spec.limits.cpus,
  memoryBytes: gitBytes + spec.limits.diskBytes,
  pids: 64,
  lifeMs: pushMs + graceMs,
  work: null,
  scratch: { bytes: spec.limits.diskBytes, owner: users.courier },
})

/** Where the tests run, with the agent's limits and without the agent. */
export const planVerify = (
  attempt: Attempt,
  image: Digest,
  volume: string,
  verifyMs: number,
): ContainerPlan => ({
  ...planAgent(attempt, image, volume),
  purpose: 'verify',
  labels: attemptLabels(attempt.runner, attempt.spec, 'verify'),
  lifeMs: verifyMs + graceMs,
})
