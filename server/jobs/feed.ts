/** Tells whoever watches a job that it has changed. What changed is in the database, so nothing is queued here. */
import type { JobId } from '../protocol/ids.ts'

export const openFeed = () => {
  const watchers = new Map<JobId, Set<() => void>>()
  return {
    publish(job: JobId): void {
      for (const watcher of watchers.get(job) ?? []) watcher()
    },
    /** Calls `watcher` at each change from now on; returns what ends that. */
    watch(job: JobId, watcher: () => void): () => void {
      const set = watchers.get(job) ?? new Set()
      watchers.set(job, set.add(watcher))
      return () => {
        set.delete(watcher)
        if (set.size === 0) watchers.delete(job)
      }
    },
  }
}

export type Feed = ReturnType<typeof openFeed>
