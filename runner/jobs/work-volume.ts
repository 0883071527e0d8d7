/** The disk of a sandbox, for as long as containers use it. */
import { workVolume } from '../engine/specs/work-volume.ts'
import { createVolume, removeVolume } from '../engine/volumes.ts'
import type { Attempt } from './attempt.ts'

export type WorkVolume = AsyncDisposable & { readonly name: string }

/** Makes the volume. Disposing of it removes it; where that fails, the end of the attempt tries again. */
export const openWorkVolume = async ({ runner, spec }: Attempt): Promise<WorkVolume> => {
  const { engine, log } = runner
  const name = await createVolume(engine, workVolume(runner.id, spec))
  return {
    name,
    [Symbol.asyncDispose]: () =>
      removeVolume(engine, name).catch((error: unknown) => {
        log.warn({ err: error, volume: name }, 'a volume could not be removed yet')
      }),
  }
}
