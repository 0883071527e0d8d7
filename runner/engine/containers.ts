/** Making, starting and ending containers. */
import { z } from 'zod'
import { callEngine, callEngineOrNull, EngineError } from './call.ts'
import { findDifferences } from './confirm.ts'
import type { ContainerCreateOptions, Engine } from './engine.ts'

const created = z.object({ id: z.string().regex(/^[0-9a-f]{64}$/) })

/** Makes a container and reads back what it is. One that is not exactly as asked is removed, never started. */
export const createContainer = async (engine: Engine, options: ContainerCreateOptions): Promise<string> => {
  const { id } = created.parse(
    await callEngine('create a container', (abortSignal) =>
      engine.createContainer({ ...options, abortSignal }),
    ),
  )
  try {
    const actual: unknown = await callEngine('describe a container', (abortSignal) =>
      engine.getContainer(id).inspect({ abortSignal }),
    )
    const differences = findDifferences(options, actual)
    if (differences.length === 0) return id
    throw new EngineError('make the container as asked', new Error(`${differences.join(', ')} differ`))
  } catch (error) {
    await removeContainer(engine, id)
    throw error
  }
}

export const startContainer = async (engine: Engine, id: string): Promise<void> => {
  await callEngine('start a container', (abortSignal) => engine.getContainer(id).start({ abortSignal }))
}

/** Kills and removes. That it is gone already is no error. */
export const removeContainer = async (engine: Engine, id: string): Promise<void> => {
  await callEngineOrNull('remove a container', (abortSignal) =>
    engine.getContainer(id).remove({ force: true, v: true, abortSignal }),
  ).catch(async (error: unknown) => {
    // 409: a removal that another request began is going on.
    if (error instanceof EngineError && error.status === 409) return await waitUntilRemoved(engine, id)
    throw error
  })
}

const waitUntilRemoved = async (engine: Engine, id: string): Promise<void> => {
  await callEngineOrNull('wait for the end of a container', (abortSignal) =>
    engine.getContainer(id).wait({ condition: 'removed', abortSignal }),
  )
}
