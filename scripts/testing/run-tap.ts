import { execFile, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import { step } from '../progress.ts'
import { type FileReport, readTap } from './read-tap.ts'
import { add, nothing, oneFailed, type Tally } from './tally.ts'

const root = path.resolve(import.meta.dirname, '../..')
const errorOutputMax = 64 * 1024

/** Runs the test files, or all when none is named, and prints a line for each. Coverage only for all. */
export const runTests = async (
  files: readonly string[],
  env: NodeJS.ProcessEnv,
  signal: AbortSignal,
): Promise<Tally> => {
  await buildPlugins(signal)
  const coverage = files.length > 0 ? '--disable-coverage' : '--coverage-report=text-summary'
  const tap = spawn('tap', ['run', '--reporter=tap', coverage, ...files], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  })
  const ended = new Promise<number | null>((resolve, reject) => {
    tap.once('error', reject)
    tap.once('close', resolve)
  })
  let tally = nothing
  const report = readTap(
    (file) => {
      tally = add(tally, file.tally)
      printReport(file)
    },
    (line) => {
      if (line.startsWith('Lines')) console.log(`Coverage, ${line.trim()}`)
    },
  )
  let errorOutput = ''
  tap.stderr.setEncoding('utf8').on('data', (text: string) => {
    errorOutput = (errorOutput + text).slice(-errorOutputMax)
  })
  const [code] = await Promise.all([ended, pipeline(tap.stdout, report)])
  signal.throwIfAborted()
  if (code !== 0 && tally.failed === 0) {
    console.log(`✗ tap ended with ${code}`)
    tally = add(tally, oneFailed)
  }
  if (tally.failed > 0 && errorOutput.trim() !== '') console.log(`\nError output:\n${errorOutput.trimEnd()}`)
  return tally
}

/** tap's plugins are generated code, to be made once after each change of its settings or its version. */
const buildPlugins = async (signal: AbortSignal): Promise<void> => {
  const built = await modifiedAt('.tap/plugins')
  if (built > Math.max(await modifiedAt('.taprc'), await modifiedAt('package-lock.json'))) return
  await step('Preparing tap', () => promisify(execFile)('tap', ['build'], { cwd: root, signal }))
  const now = new Date()
  await fs.utimes(path.join(root, '.tap/plugins'), now, now)
}

const modifiedAt = async (name: string): Promise<number> => {
  const stat = await fs.stat(path.join(root, name)).catch(() => null)
  return stat?.mtimeMs ?? 0
}

const printReport = ({ file, tally, ms, skipReasons, failures }: FileReport): void => {
  const seconds = ms === null ? '' : ` (${(ms / 1000).toFixed(1)} s)`
  const reasons = skipReasons.length > 0 ? `: ${skipReasons.join('; ')}` : ''
  const { passed, failed, skipped } = tally
  const counts = [passed && `${passed} passed`, failed && `${failed} failed`, skipped && `${skipped} skipped`]
  console.log(`${failed > 0 ? '✗' : '✓'} ${file}  ${counts.filter(Boolean).join(', ')}${reasons}${seconds}`)
  for (const failure of failures) console.log(`\n${failure.replace(/^/gm, '    ')}\n`)
}
