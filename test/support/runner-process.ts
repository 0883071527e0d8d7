import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Test } from 'tap'
import { freePort, root } from './forge.ts'
import { runnerEnvironment, secret } from './runner.ts'
import { tempFolder } from './temp.ts'

/** A runner as a process of its own, at the same address and with the same data whenever it is started. */
export type RunnerProcess = Readonly<{
  /** The environment by which a forge finds it. */
  forForge: Readonly<Record<string, string>>
  start(): Promise<void>
  kill(signal: NodeJS.Signals): Promise<void>
}>

/** Starts it; it ends with the test, gracefully, so that it leaves nothing on the engine. */
export const startRunnerProcess = async (
  t: Test,
  env: Record<string, string> = {},
): Promise<RunnerProcess> => {
  const dataDir = tempFolder(t)
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  let child: ChildProcess | null = null

  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const start = async (): Promise<void> => {
    let log = ''
    const started = spawn(process.execPath, [path.join(root, 'runner/main.ts')], {
      cwd: dataDir,
      env: {
        PATH: process.env['PATH'] ?? '',
        ...runnerEnvironment(dataDir),
        LISTEN: `127.0.0.1:${port}`,
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child = started
    const ended = once(started, 'exit').then(() => {
      throw new Error(`the runner ended: ${log}`)
    })
    for (const stream of [started.stdout, started.stderr])
      stream.on('data', (chunk: Buffer) => (log += chunk))
    const healthy = async (): Promise<boolean> =>
      fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    await Promise.race([
      ended,
      (async () => {
        while (!(await healthy())) await new Promise(setImmediate)
      })(),
    ])
  }
  t.teardown(() => kill('SIGTERM'))
  await start()
  const forForge = {
    WORKSPACE_CONTROLLER_URL: url,
    WORKSPACE_CONTROLLER_SECRET: secret,
    LOCAL_RUNNER: 'for-trying-out',
  }
  return { forForge, start, kill }
}
