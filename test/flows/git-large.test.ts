import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { commitFile, makeRepo, type RunningForge, startForge } from '../support/forge.ts'
import { git, startGit } from '../support/git.ts'
import { movedRefs } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const megabyte = 1024 * 1024

/** The most memory that the forge has ever used, in MiB, as the kernel counts. */
const peakMiB = (forge: RunningForge): number => {
  const status = readFileSync(`/proc/${forge.child().pid}/status`, 'utf8')
  return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024
}

/** Keeps a client from looking for what could be made smaller in noise. */
const sparePains = async (work: string): Promise<void> => {
  await git(['config', 'core.compression', '0'], { cwd: work })
  await git(['config', 'core.bigFileThreshold', '1m'], { cwd: work })
}

/** Commits so many megabytes that nothing makes smaller, in files of twenty-five. */
const commitNoise = async (work: string, megabytes: number): Promise<string> => {
  for (let n = 0; n < megabytes / 25; n += 1)
    writeFileSync(path.join(work, `noise-${n}`), randomBytes(25 * megabyte))
  return commitFile(work, 'last', `${megabytes}\n`)
}

/** Runs git while it asks the forge for its health; returns what curl told and how often the forge was well. */
const runBeside = async (t: Test, forge: RunningForge, cwd: string, args: readonly string[]) => {
  const env = { GIT_TRACE_CURL: '1', GIT_TRACE_CURL_NO_DATA: '1' }
  const child = startGit(args, { cwd, ca: forge.caFile, env })
  let told = ''
  let ended = false
  child.stderr?.on('data', (chunk: Buffer) => (told += chunk.toString()))
  child.stdin?.end()
  const end = new Promise<void>((resolve) =>
    child.once('close', () => {
      ended = true
      resolve()
    }),
  )
  let answers = 0
  while (!ended) {
    const { status } = await forge.ask('/healthz', { token: null })
    if (status !== 200) t.fail(`/healthz answers ${status}`)
    answers += 1
    await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 100))])
  }
  await end
  t.equal(child.exitCode, 0, told.slice(-2000))
  return { told, answers }
}

t.test('hundreds of megabytes are pushed and cloned in flat memory, while others are answered', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  await sparePains(work)
  const head = await commitNoise(work, 300)
  const before = peakMiB(forge)
  const pushed = await runBeside(t, forge, work, ['push', forge.remote('hello', forge.token), 'main'])
  t.match(pushed.told, /Transfer-Encoding: chunked/i)
  t.ok(pushed.answers > 10, `${pushed.answers} answers meanwhile`)
  t.equal(movedRefs(forge, 'hello').at(-1)?.new, head)
  t.equal(movedRefs(forge, 'hello').length, 2, 'the probe before it is no push')

  const cloned = await runBeside(t, forge, tempFolder(t), [
    'clone',
    '-q',
    '--bare',
    forge.remote('hello'),
    '.',
  ])
  t.ok(cloned.answers > 5, `${cloned.answers} answers meanwhile`)
  t.ok(peakMiB(forge) - before < 96, `memory grew by ${peakMiB(forge) - before} MiB`)
})

t.test('a pack comes with its length or in chunks, as the client likes', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  await sparePains(work)
  for (const [postBuffer, how] of [
    ['65536', /Transfer-Encoding: chunked/i],
    ['100m', /Content-Length: 2\d{7}/i],
  ] as const) {
    const head = await commitNoise(work, 25)
    const push = ['-c', `http.postBuffer=${postBuffer}`, 'push', forge.remote('hello', forge.token), 'main']
    const { told } = await runBeside(t, forge, work, push)
    t.match(told, how)
    t.equal(movedRefs(forge, 'hello').at(-1)?.new, head)
  }
})
