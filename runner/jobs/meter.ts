/** What a container used, read while it still runs. */
import { readUsage, type Usage } from '../engine/usage.ts'
import type { Attempt } from './attempt.ts'
import type { Container } from './container.ts'

/** Adds the container's usage to the attempt's when disposed of, which must be before the container is. */
export const openMeter = ({ runner, used }: Attempt, container: Container): AsyncDisposable => ({
  [Symbol.asyncDispose]: async () => {
    const usage = await readUsage(runner.engine, container.id).catch((): Usage | null => null)
    if (usage === null) return
    used.cpuMs += Math.round(usage.cpuMs)
    used.peakBytes = Math.max(used.peakBytes, usage.peakBytes)
  },
})
