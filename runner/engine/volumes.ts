/** Volumes: the disks of sandboxes. */
import { z } from 'zod'
import { callEngine, callEngineOrNull } from './call.ts'
import type { Engine } from './engine.ts'
import type { workVolume } from './specs/work-volume.ts'

const created = z.object({ name: z.string().min(1) })

/** Makes a volume. Resolves to its name. */
export const createVolume = async (
  engine: Engine,
  options: ReturnType<typeof workVolume>,
): Promise<string> => {
  const volume: unknown = await callEngine('create a volume', (abortSignal) =>
    engine.createVolume({ ...options, abortSignal }),
  )
  return created.parse(volume).name
}

/** Removes it with its content. That it is gone already is no error. */
export const removeVolume = async (engine: Engine, name: string): Promise<void> => {
  await callEngineOrNull('remove a volume', (abortSignal) =>
    engine.getVolume(name).remove({ force: true, abortSignal }),
  )
}
