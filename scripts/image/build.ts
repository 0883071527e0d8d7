import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'
import { Readable } from 'node:stream'
import { z } from 'zod'
import type { EngineAddress } from '../engine/address.ts'
import type { Engine } from '../engine/prepare.ts'
import { expectSuccess, readEngine, requestEngine } from '../engine/request.ts'
import { type Say, step } from '../progress.ts'
import { SetUpError } from '../set-up-error.ts'
import { prepareBase } from './base.ts'
import { hashSources } from './hash.ts'
import { readProgress } from './lines.ts'
import { findSources, type Source } from './sources.ts'

const tag = 'agent-workspace/sandbox:latest'
/** Not the label by which the runner finds its containers: a container inherits its image's labels. */
const hashLabel = 'agent-workspace-sources'
const buildDeadlineMs = 30 * 60_000

const image = z.object({
  Id: z.string().startsWith('sha256:'),
  Config: z.object({ Labels: z.record(z.string(), z.string()).nullish() }),
})

/**
 * Gives the id (`sha256:…`) of the sandbox image, which it builds when there is none or when anything that
 * the image is made from has changed since.
 */
export const buildSandboxImage = async (engine: Engine, signal: AbortSignal): Promise<string> => {
  const sources = await findSources(engine, signal)
  const hash = await hashSources(sources)
  const built = await inspect(engine.address, signal)
  if (built?.Config.Labels?.[hashLabel] === hash) return built.Id
  await prepareBase(engine.address, signal)
  const { dockerfile, node, npm, sandbox } = sources
  const parts = [dockerfile, node, npm, sandbox]
  await step('Building the sandbox image', (say) => build(engine.address, parts, hash, say, signal))
  const fresh = await inspect(engine.address, signal)
  if (fresh === null)
    throw new SetUpError('image-build-failed', `The engine built ${tag} but does not have it.`)
  return fresh.Id
}

const inspect = (address: EngineAddress, signal: AbortSignal) =>
  readEngine(address, image, { method: 'GET', path: `/images/${tag}/json`, signal })

const build = async (
  address: EngineAddress,
  parts: readonly Source[],
  hash: string,
  say: Say,
  signal: AbortSignal,
): Promise<void> => {
  const said: string[] = []
  try {
    const response = await requestEngine(address, {
      method: 'POST',
      path: '/build',
      query: { t: tag, rm: 'true', forcerm: 'true', labels: JSON.stringify({ [hashLabel]: hash }) },
      body: Readable.from(archive(parts, signal)),
      signal: AbortSignal.any([signal, AbortSignal.timeout(buildDeadlineMs)]),
    })
    await expectSuccess(response, '/build')
    for await (const words of readProgress(response)) {
      say(words.split('\n').at(-1) ?? '')
      said.push(words)
      if (said.length > 30) said.shift()
    }
  } catch (error) {
    signal.throwIfAborted()
    const reason = error instanceof Error ? error.message : String(error)
    const message = `The sandbox image could not be built: ${reason}\n${said.join('\n')}`
    throw new SetUpError('image-build-failed', message, { cause: error })
  }
}

/** The build context as a tar stream. It ends only when tar did well, so that no half is built. */
async function* archive(parts: readonly Source[], signal: AbortSignal): AsyncGenerator<Buffer> {
  const names = parts.flatMap(({ folder, name }) => ['-C', folder, name])
  const tar = spawn('tar', ['-cf', '-', ...names], {
    env: { ...process.env, COPYFILE_DISABLE: '1' },
    stdio: ['ignore', 'pipe', 'inherit'],
    signal,
  })
  const ended = once(tar, 'exit')
  yield* tar.stdout
  await ended
  if (tar.exitCode !== 0) throw new Error(`tar ended with ${tar.exitCode}`)
}
