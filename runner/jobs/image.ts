/** Which image an attempt runs in. */
import type { Digest } from '../../server/protocol/ids.ts'
import { findImage } from '../engine/images.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'

/** The image of the agent and of the tests: on the engine, allowed by the runner's owner, without volumes. */
export const chooseImage = async ({ runner, spec }: Attempt): Promise<Digest> => {
  const wanted = spec.image ?? runner.sandboxImage
  if (wanted !== runner.sandboxImage && !runner.images.has(wanted))
    throw new AttemptFailure(
      'image-refused',
      `The runner's owner has not allowed the image ${wanted}: RUNNER_IMAGES must name it.`,
    )
  const image = await findImage(runner.engine, wanted)
  if (image === null)
    throw new AttemptFailure('image-missing', `The engine does not have the image ${wanted}.`)
  if (image.volumes.length > 0)
    throw new AttemptFailure(
      'image-refused',
      `The image ${wanted} declares a VOLUME (${image.volumes.join(', ')}), which no limit would hold.`,
    )
  return image.digest
}
