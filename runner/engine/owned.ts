/** What a runner left on the engine. */
import { z } from 'zod'
import { callEngine } from './call.ts'
import { removeContainer } from './containers.ts'
import type { Engine } from './engine.ts'
import { removeVolume } from './volumes.ts'

const containers = z.array(z.object({ Id: z.string() }))
const volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullable() })

/** Kills and removes every container and volume that bears all of the labels. Rejects with the first failure, after all were tried. */
export const removeLabelled = async (
  engine: Engine,
  labels: Readonly<Record<string, string>>,
): Promise<void> => {
  const filters = { label: Object.entries(labels).map(([name, value]) => `${name}=${value}`) }
  const found: unknown = await callEngine('list containers', (abortSignal) =>
    engine.listContainers({ all: true, filters, abortSignal }),
  )
  await settle(containers.parse(found).map(({ Id }) => removeContainer(engine, Id)))
  const left: unknown = await callEngine('list volumes', (abortSignal) =>
    engine.listVolumes({ filters, abortSignal }),
  )
  await settle((volumes.parse(left).Volumes ?? []).map(({ Name }) => removeVolume(engine, Name)))
}

const settle = async (removals: readonly Promise<void>[]): Promise<void> => {
  await Promise.allSettled(removals)
  await Promise.all(removals)
}
