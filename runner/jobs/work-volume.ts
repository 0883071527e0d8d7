/** The disk of a sandbox, for as long as containers use it. */
import { workVolume } from '../engine/specs/work-volume.ts'
import { createVolume, removeVolume } from '../engine/volumes.ts'
import type { Attempt } from './attempt.ts'

export type WorkVolume = AsyncDisposable & { readonly name: string }

export const openWorkVolume = async ({ runner, spec }: Attempt): Promise<WorkVolume> => {
  const name = await createVolume(runner.engine, workVolume(runner.id, spec))
  return { name, [Symbol.asyncDispose]: () => removeVolume(runner.engine, name) }
}
