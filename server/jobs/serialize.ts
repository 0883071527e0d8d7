/** One thing at a time for each job, so that two decisions cannot both find it undecided. */
import type { JobId } from '../protocol/ids.ts'

export type Serialize = <T>(job: JobId, work: () => Promise<T>) => Promise<T>

export const openSerialize = (): Serialize => {
  const last = new Map<JobId, Promise<unknown>>()
  return (job, work) => {
    const done = (last.get(job) ?? Promise.resolve()).then(work)
    const settled = done
      .catch(() => undefined)
      .finally(() => {
        if (last.get(job) === settled) last.delete(job)
      })
    last.set(job, settled)
    return done
  }
}
