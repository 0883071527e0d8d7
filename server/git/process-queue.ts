/** Room for git's processes: some for each repository, some in all, and a fair queue before it is full. */
import { ForgeError } from '../errors.ts'

export type QueueLimits = Readonly<{ all: number; each: number; waitMs: number; waiting: number }>

type Waiter = { start: () => void }

/**
 * Opens a queue. Repositories take turns, so that one with many fetches does not hold up the others. Who waits longer
 * than `waitMs`, or comes when `waiting` others wait, gets 429.
 */
export const openProcessQueue = ({ all, each, waitMs, waiting }: QueueLimits) => {
  const running = new Map<string, number>()
  /** In the order in which the repositories' turns come. */
  const queues = new Map<string, Waiter[]>()
  let total = 0
  let queued = 0

  const busy = (): ForgeError =>
    new ForgeError('too-busy', 'The forge serves as many git requests as it can. Try again in a moment.', {
      retryAfterSeconds: 5,
    })
  const runningOf = (repo: string): number => running.get(repo) ?? 0

  const enter = (repo: string): void => {
    total += 1
    running.set(repo, runningOf(repo) + 1)
  }

  const next = (): void => {
    for (const [repo, queue] of queues) {
      if (total >= all) return
      if (runningOf(repo) >= each) continue
      const waiter = queue.shift()
      queues.delete(repo)
      if (queue.length > 0) queues.set(repo, queue)
      if (waiter) {
        queued -= 1
        enter(repo)
        waiter.start()
      }
    }
  }

  const leave = (repo: string) => {
    let left = false
    return (): void => {
      if (left) return
      left = true
      total -= 1
      if (runningOf(repo) <= 1) running.delete(repo)
      else running.set(repo, runningOf(repo) - 1)
      next()
    }
  }

  const wait = (repo: string): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(repo) ?? []
      const tired = setTimeout(() => {
        queue.splice(queue.indexOf(waiter), 1)
        queued -= 1
        if (queue.length === 0) queues.delete(repo)
        reject(busy())
      }, waitMs)
      const waiter: Waiter = {
        start: () => {
          clearTimeout(tired)
          resolve()
        },
      }
      queue.push(waiter)
      queued += 1
      queues.set(repo, queue)
    })

  return {
    /** Whether a git request of the repository is served or waits. */
    isBusy: (repo: string): boolean => running.has(repo) || queues.has(repo),

    /** Waits for room and returns what gives it back. Throws ForgeError 429. */
    async enter(repo: string): Promise<() => void> {
      if (total < all && runningOf(repo) < each && !queues.has(repo)) enter(repo)
      else {
        if (queued >= waiting) throw busy()
        await wait(repo)
      }
      return leave(repo)
    },
  }
}

export type ProcessQueue = ReturnType<typeof openProcessQueue>
