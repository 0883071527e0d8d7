/** What happens to jobs, told to whoever watches at this moment. The database, not this, is the record. */
import type { StateEvent } from '../protocol/api.ts'
import type { AttemptNumber, JobId } from '../protocol/ids.ts'
import type { JobEvent } from '../protocol/runner.ts'

export type FeedItem =
  | { kind: 'job'; attempt: AttemptNumber; event: JobEvent }
  | { kind: 'state'; state: StateEvent }

export const openFeed = () => {
  const watchers = new Map<JobId, Set<(item: FeedItem) => void>>()
  return {
    publish(job: JobId, item: FeedItem): void {
      for (const watcher of watchers.get(job) ?? []) watcher(item)
    },
    /** Calls `watcher` for each item from now on; returns what ends that. */
    watch(job: JobId, watcher: (item: FeedItem) => void): () => void {
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
