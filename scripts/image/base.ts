import { execFile } from 'node:child_process'
import { createReadStream } from 'node:fs'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { installPackages } from '../debian.ts'
import type { EngineAddress } from '../engine/address.ts'
import { expectSuccess, readEngine, requestEngine } from '../engine/request.ts'
import { findProgram, lookAtMachine, systemPath } from '../machine.ts'
import { type Say, step } from '../progress.ts'
import { SetUpError } from '../set-up-error.ts'
import { readProgress } from './lines.ts'

const repository = 'debian'
const tag = 'bookworm-slim'
const pullSilenceMs = 20_000

/**
 * Sees to it that the engine has Debian's image: its own, else the registry's, else, where no registry
 * answers, one made from Debian's archive under the same name.
 */
export const prepareBase = async (address: EngineAddress, signal: AbortSignal): Promise<void> => {
  const path = `/images/${repository}:${tag}/json`
  const known = await readEngine(address, z.object({ Id: z.string() }), { method: 'GET', path, signal })
  if (known !== null) return
  const refusal = await step(`Pulling ${repository}:${tag}`, (say) => pull(address, say, signal)).then(
    () => null,
    (error: unknown) => reasonOf(error),
  )
  signal.throwIfAborted()
  if (refusal === null) return
  console.log(`  ${refusal}\n  Making the image from Debian's archive instead.`)
  const mmdebstrap = await findMmdebstrap(refusal, signal)
  await step(`Making ${repository}:${tag}`, (say) => make(mmdebstrap, address, say, signal))
}

/** A registry that says nothing for 20 s does not answer. */
const pull = async (address: EngineAddress, say: Say, signal: AbortSignal): Promise<void> => {
  const silence = new AbortController()
  const giveUp = () => silence.abort(new Error(`The registry was silent for ${pullSilenceMs / 1000} s.`))
  const timer = setTimeout(giveUp, pullSilenceMs)
  try {
    const response = await requestEngine(address, {
      method: 'POST',
      path: '/images/create',
      query: { fromImage: repository, tag },
      signal: AbortSignal.any([signal, silence.signal]),
    })
    await expectSuccess(response, '/images/create')
    for await (const words of readProgress(response)) {
      timer.refresh()
      say(words)
    }
  } catch (error) {
    throw silence.signal.aborted ? silence.signal.reason : error
  } finally {
    clearTimeout(timer)
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof Error ? error.message.slice(-2000) : String(error)

const findMmdebstrap = async (refusal: string, signal: AbortSignal): Promise<string> => {
  const machine = lookAtMachine()
  if (findProgram('mmdebstrap') === null && machine.root && machine.distribution !== 'other')
    await installPackages(['mmdebstrap', 'debian-archive-keyring'], 'a maker of base images', signal)
  const program = findProgram('mmdebstrap')
  if (program !== null) return program
  throw new SetUpError(
    'base-image-missing',
    `The image ${repository}:${tag} could not be pulled (${refusal}). Give this machine access to a container ` +
      `registry and run "docker pull ${repository}:${tag}", or load the image from elsewhere with "docker load".`,
  )
}

const make = async (
  program: string,
  address: EngineAddress,
  say: Say,
  signal: AbortSignal,
): Promise<void> => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'agent-workspace-base-'))
  try {
    const archive = path.join(folder, 'base.tar')
    say('installing a minimal Debian into an archive')
    await promisify(execFile)(program, ['--variant=minbase', 'bookworm', archive], {
      env: { ...process.env, PATH: systemPath },
      maxBuffer: 64 * 1024 * 1024,
      timeout: 10 * 60_000,
      signal,
    })
    say('importing it')
    const response = await requestEngine(address, {
      method: 'POST',
      path: '/images/create',
      query: { fromSrc: '-', repo: repository, tag },
      body: createReadStream(archive),
      signal,
    })
    await expectSuccess(response, '/images/create')
    for await (const words of readProgress(response)) say(words)
  } catch (error) {
    signal.throwIfAborted()
    const message = `The base image could not be made: ${reasonOf(error)}`
    throw new SetUpError('base-image-missing', message, { cause: error })
  } finally {
    await fs.rm(folder, { recursive: true, force: true })
  }
}
