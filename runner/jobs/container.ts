/** A container for the time of one step or more. */
import { createContainer, removeContainer, startContainer } from '../engine/containers.ts'
import type { ContainerPlan } from '../engine/specs/container-plan.ts'
import { sealContainer } from '../engine/specs/seal.ts'
import type { Attempt } from './attempt.ts'

export type Container = AsyncDisposable & { readonly id: string }

/**
 * Makes and starts the container of a plan. Disposing of it kills whatever runs in it and removes it; where
 * that fails, the end of the attempt tries again.
 */
export const openContainer = async (
  { runner: { engine, log }, events }: Attempt,
  plan: ContainerPlan,
): Promise<Container> => {
  await using undo = new AsyncDisposableStack()
  const id = await createContainer(engine, sealContainer(plan))
  undo.defer(() =>
    removeContainer(engine, id).catch((error: unknown) => {
      log.warn({ err: error, container: id }, 'a container could not be removed yet')
    }),
  )
  events.append({ type: 'container', purpose: plan.purpose, id, image: plan.image })
  await startContainer(engine, id)
  const done = undo.move()
  return { id, [Symbol.asyncDispose]: () => done.disposeAsync() }
}
