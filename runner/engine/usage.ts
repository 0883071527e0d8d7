/** What a container has used so far. */
import { z } from 'zod'
import { callEngine } from './call.ts'
import type { Engine } from './engine.ts'

const stats = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({ usage: z.number().optional(), max_usage: z.number().optional() }),
  pids_stats: z.object({ current: z.number().optional() }),
})

export type Usage = { readonly cpuMs: number; readonly peakBytes: number; readonly pids: number }

/** `peakBytes` is what is in use now where the kernel keeps no peak (cgroup v2). */
export const readUsage = async (engine: Engine, id: string): Promise<Usage> => {
  const answer: unknown = await callEngine(
    'measure a container',
    () => engine.getContainer(id).stats({ stream: false, 'one-shot': true }),
    5_000,
  )
  const { cpu_stats, memory_stats, pids_stats } = stats.parse(answer)
  return {
    cpuMs: cpu_stats.cpu_usage.total_usage / 1e6,
    peakBytes: memory_stats.max_usage ?? memory_stats.usage ?? 0,
    pids: pids_stats.current ?? 0,
  }
}
