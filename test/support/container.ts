import process from 'node:process'
import type { Test } from 'tap'
import { parseConfig } from '../../runner/config.ts'
import { createContainer, removeContainer, startContainer } from '../../runner/engine/containers.ts'
import { connectEngine, type Engine } from '../../runner/engine/engine.ts'
import type { ContainerPlan } from '../../runner/engine/specs/container-plan.ts'
import { sealContainer } from '../../runner/engine/specs/seal.ts'
import { type Digest, digest } from '../../server/protocol/ids.ts'
import { sandboxImage } from './engine.ts'

const MiB = 1024 * 1024

export const testEngine = (): Engine =>
  connectEngine(
    parseConfig({
      WORKSPACE_CONTROLLER_SECRET: 'only the address matters here',
      DOCKER_HOST: process.env['DOCKER_HOST'] ?? '',
    }).engine,
  )

/** A running sealed container, as the runner would make one; it goes away with the test. */
export const startTestContainer = async (
  t: Test,
  engine: Engine,
  change: Partial<ContainerPlan> = {},
): Promise<string> => {
  const plan: ContainerPlan = {
    purpose: 'courier',
    image: digest.parse(sandboxImage()),
    labels: { 'agent-workspace': '1' },
    cpus: 1,
    memoryBytes: 128 * MiB,
    pids: 64,
    lifeMs: 120_000,
    work: null,
    scratch: null,
    ...change,
  }
  const id = await createContainer(engine, sealContainer(plan))
  t.teardown(() => removeContainer(engine, id))
  await startContainer(engine, id)
  return id
}

/** The sandbox image with instructions of a Dockerfile on top; it goes away with the test. */
export const deriveImage = async (
  t: Test,
  engine: Engine,
  instructions: readonly string[],
): Promise<Digest> => {
  const container = await engine.createContainer({ Image: sandboxImage(), Cmd: ['true'] })
  try {
    const made: unknown = await container.commit({ changes: instructions.join('\n') })
    const id = digest.parse((made as { Id: unknown }).Id)
    t.teardown(() => engine.getImage(id).remove())
    return id
  } finally {
    await container.remove({ v: true })
  }
}
