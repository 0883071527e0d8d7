/** `npm run demo`: the whole product on this machine, with one job, until Ctrl-C. `--once` ends by itself. */
import { once } from 'node:events'
import process from 'node:process'
import { parseArgs } from 'node:util'
import { describeDemo, describeNext } from './demo/describe.ts'
import { claimFolder } from './demo/folder.ts'
import { isVerified, runJob } from './demo/job.ts'
import { prepareRepository } from './demo/repository.ts'
import { startParts } from './demo/start-parts.ts'
import { prepareEngine } from './engine/prepare.ts'
import { buildSandboxImage } from './image/build.ts'
import { Interrupted, interruption } from './interruption.ts'
import { step } from './progress.ts'
import { SetUpError } from './set-up-error.ts'
import { Failure } from './spbgit/failure.ts'

/** Rejects when a part ends by itself. */
const untilInterrupted = async (signal: AbortSignal): Promise<void> => {
  if (!signal.aborted) await once(signal, 'abort')
  if (!(signal.reason instanceof Interrupted)) throw signal.reason
}

const isForPeople = (error: unknown): error is Error =>
  error instanceof SetUpError || error instanceof Failure || error instanceof Interrupted

const { values: options } = parseArgs({ options: { once: { type: 'boolean', default: false } } })
const interrupted = interruption()
let verified = false

try {
  await using cleanUp = new AsyncDisposableStack()
  await claimFolder(cleanUp)
  const engine = await prepareEngine(cleanUp, interrupted)
  const image = await buildSandboxImage(engine, interrupted)
  const { forge, signal } = await step('Starting forge and runner', () =>
    startParts(engine, image, cleanUp, interrupted),
  )
  await step('Pushing a repository', () => prepareRepository(forge, signal))
  const job = await runJob(forge, signal)
  console.log(describeDemo(job))
  verified = isVerified(job)
  if (options.once) console.log('  All of it is kept: "npm run demo" starts it again.\n')
  else {
    console.log(describeNext(forge))
    await untilInterrupted(signal)
  }
} catch (error) {
  verified = false
  console.error(isForPeople(error) ? error.message : error)
}
process.exitCode = verified ? 0 : 1
