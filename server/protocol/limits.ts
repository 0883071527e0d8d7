/** What one attempt may use. Bytes, milliseconds, counts. */
import { z } from 'zod'

const MiB = 1024 * 1024
const GiB = 1024 * MiB

export const limits = z
  .object({
    cpus: z.number().positive().max(64),
    memoryBytes: z.int().min(64 * MiB),
    diskBytes: z.int().min(MiB),
    inodes: z.int().min(1000),
    pids: z.int().min(16).max(32768),
    wallMs: z.int().min(1000),
    testMs: z.int().min(1000),
    logBytes: z.int().min(4096),
  })
  .readonly()
export type Limits = z.infer<typeof limits>

/** The specification's limits: 2 CPUs, 4 GB, 30 minutes, 2 GB of disk. Also the most a job may ask for. */
export const defaultLimits: Limits = {
  cpus: 2,
  memoryBytes: 4 * GiB,
  diskBytes: 2 * GiB,
  inodes: 200_000,
  pids: 512,
  wallMs: 30 * 60_000,
  testMs: 10 * 60_000,
  logBytes: 16 * MiB,
}

/** What a repository asks for, held to the ceiling: limits can be lowered, never raised. */
export const lowerLimits = (
  ceiling: Limits,
  asked: { readonly [key in keyof Limits]?: number | undefined },
): Limits => {
  const least = (key: keyof Limits): number => Math.min(ceiling[key], asked[key] ?? ceiling[key])
  return {
    cpus: least('cpus'),
    memoryBytes: least('memoryBytes'),
    diskBytes: least('diskBytes'),
    inodes: least('inodes'),
    pids: least('pids'),
    wallMs: least('wallMs'),
    testMs: least('testMs'),
    logBytes: least('logBytes'),
  }
}
