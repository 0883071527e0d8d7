/** `npm test`: prepares this machine, checks the source, runs all tests, and undoes what it started. */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import process from 'node:process'
import { prepareBrowser } from './browser.ts'
import { formatEngineAddress } from './engine/address.ts'
import { listLabelled } from './engine/labelled.ts'
import { type Engine, prepareEngine } from './engine/prepare.ts'
import { buildSandboxImage } from './image/build.ts'
import { interruption } from './interruption.ts'
import { SetUpError } from './set-up-error.ts'
import { runChecks } from './testing/checks.ts'
import { findLeftFiles, findLeftObjects } from './testing/leaks.ts'
import { runTests } from './testing/run-tap.ts'
import { add, formatTally, nothing, oneFailed, type Tally } from './testing/tally.ts'

const files = process.argv.slice(2)
const signal = interruption()
let tally: Tally = nothing

const count = (more: Tally): void => {
  tally = add(tally, more)
}

/** What cannot be had skips the tests that need it, except in CI, where it counts as a failure. */
const orSkip = async <T>(prepare: () => Promise<T>): Promise<T | null> => {
  try {
    return await prepare()
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error
    console.log(`✗ ${error.message}`)
    if (process.env['CI'] === 'true') count(oneFailed)
    return null
  }
}

const runTestsCleanly = async (
  engine: Engine | null,
  env: NodeJS.ProcessEnv & { TMPDIR: string },
): Promise<void> => {
  const before = engine === null ? [] : await listLabelled(engine.address)
  try {
    count(await runTests(files, env, signal))
  } finally {
    const objects = engine === null ? [] : await findLeftObjects(engine.address, before)
    const leaks = [...objects, ...(await findLeftFiles(env.TMPDIR))]
    for (const leak of leaks) console.log(`✗ The tests left behind: ${leak}`)
    if (leaks.length > 0) count(oneFailed)
  }
}

try {
  await using cleanUp = new AsyncDisposableStack()
  const engine = await orSkip(() => prepareEngine(cleanUp, signal))
  const image = engine === null ? null : await buildSandboxImage(engine, signal)
  const browser = await orSkip(() => prepareBrowser(signal))
  const temporary = await fs.mkdtemp(path.join(os.tmpdir(), 'agent-workspace-tests-'))
  cleanUp.defer(() => fs.rm(temporary, { recursive: true, force: true }))

  const env = {
    ...process.env,
    ...(engine !== null && { DOCKER_HOST: formatEngineAddress(engine.address) }),
    AGENT_WORKSPACE_ENGINE: engine === null ? '0' : '1',
    AGENT_WORKSPACE_SANDBOX_IMAGE: image ?? '',
    AGENT_WORKSPACE_CHROMIUM: browser ?? '',
    NO_COLOR: '1',
    TMPDIR: temporary,
  }
  if (files.length === 0) count(await runChecks(env, signal))
  await runTestsCleanly(engine, env)
} catch (error) {
  console.error(error instanceof SetUpError || signal.aborted ? String(error) : error)
  count(oneFailed)
}
console.log(formatTally(tally))
process.exitCode = tally.failed > 0 ? 1 : 0
