/** `npm run bench`: this forge beside nginx + fcgiwrap + git http-backend, in one run. Ratios, no verdict. */
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { runGit } from './bench/git.ts'
import { measureAll, type Results } from './bench/measure.ts'
import { makeRepository } from './bench/repository.ts'
import { serveForge, servePeer } from './bench/serve.ts'
import { installPackages } from './debian.ts'
import { interruption } from './interruption.ts'
import { step } from './progress.ts'

const isThere = (file: string): Promise<boolean> =>
  fs.access(file).then(
    () => true,
    () => false,
  )

const print = (names: readonly string[], results: Results): void => {
  const wide = Math.max(...[...results.keys()].map((measure) => measure.length))
  console.log(`${''.padEnd(wide)}  ${names.map((name) => name.padStart(26)).join('')}      ratio`)
  for (const [measure, times] of results) {
    const [ours = Number.NaN, peer = Number.NaN] = times
    const cells = times.map((ms) => `${ms.toFixed(0)} ms`.padStart(26)).join('')
    console.log(`${measure.padEnd(wide)}  ${cells}  ${(ours / peer).toFixed(2).padStart(9)}`)
  }
}

const signal = interruption()
await using cleanUp = new AsyncDisposableStack()
const tools = ['/usr/sbin/nginx', '/usr/sbin/fcgiwrap', '/usr/bin/spawn-fcgi']
if (!(await Promise.all(tools.map(isThere))).every(Boolean)) {
  await installPackages(['nginx-light', 'fcgiwrap', 'spawn-fcgi'], 'the peer to measure beside', signal)
}
const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'agent-workspace-bench-'))
cleanUp.defer(() => fs.rm(folder, { recursive: true, force: true }))
// fcgiwrap may run as another user than this one.
await fs.chmod(folder, 0o755)
await step('Making a repository', async () => {
  await fs.mkdir(path.join(folder, 'ours'))
  await fs.mkdir(path.join(folder, 'peer'))
  await makeRepository(path.join(folder, 'ours/bench.git'), signal)
  await fs.cp(path.join(folder, 'ours/bench.git'), path.join(folder, 'peer/bench.git'), { recursive: true })
  await runGit(['config', 'http.receivepack', 'true'], path.join(folder, 'peer/bench.git'), signal)
})
const servers = await step('Starting both servers', async () => [
  await serveForge(folder, cleanUp, signal),
  await servePeer(folder, cleanUp, signal),
])
const work = path.join(folder, 'work')
await runGit(['clone', '-q', path.join(folder, 'ours/bench.git'), work], folder, signal)
const results = await step('Measuring', (say) => measureAll({ folder, work, signal }, servers, say))
print(
  servers.map(({ name }) => name),
  results,
)
