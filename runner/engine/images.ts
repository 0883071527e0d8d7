/** Images that are on the engine. Nothing here ever pulls one. */
import { z } from 'zod'
import { type Digest, digest } from '../../server/protocol/ids.ts'
import { callEngineOrNull } from './call.ts'
import type { Engine } from './engine.ts'

const inspected = z.object({
  Id: digest,
  Config: z.object({ Volumes: z.record(z.string(), z.unknown()).nullish() }),
})

export type Image = {
  readonly digest: Digest
  /** Folders that the image wants as volumes: writable places that no limit holds. */
  readonly volumes: readonly string[]
}

/** The image by tag or digest; null where the engine does not have it. */
export const findImage = async (engine: Engine, name: string): Promise<Image | null> => {
  const answer: unknown = await callEngineOrNull('describe an image', () => engine.getImage(name).inspect())
  if (answer === null) return null
  const { Id, Config } = inspected.parse(answer)
  return { digest: Id, volumes: Object.keys(Config.Volumes ?? {}) }
}
