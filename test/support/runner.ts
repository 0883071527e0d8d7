import { readFileSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { pino } from 'pino'
import type { Test } from 'tap'
import { parseConfig } from '../../runner/config.ts'
import { runnerLabel } from '../../runner/engine/specs/labels.ts'
import { startRunner } from '../../runner/start-runner.ts'
import { digest } from '../../server/protocol/ids.ts'
import { defaultLimits, type Limits } from '../../server/protocol/limits.ts'
import {
  type AttemptSpec,
  attemptSpec,
  type JobEvent,
  jobEvent,
  runnerPath,
} from '../../server/protocol/runner.ts'
import { testEngine } from './container.ts'
import { sandboxImage } from './engine.ts'
import type { Origin } from './origin.ts'
import { tempFolder } from './temp.ts'

const MiB = 1024 * 1024

export const secret = 'a secret of the tests'

/** Small enough for many tests on a small machine. */
export const smallLimits: Limits = {
  ...defaultLimits,
  cpus: 1,
  memoryBytes: 256 * MiB,
  diskBytes: 64 * MiB,
  inodes: 20_000,
  pids: 64,
  wallMs: 60_000,
  testMs: 30_000,
  logBytes: MiB,
}

type Ask = { method?: string; body?: unknown; authorization?: string }

/** A runner over HTTP, as a forge sees it. */
export type RunnerUnderTest = {
  readonly url: string
  readonly dataDir: string
  readonly ask: (where: string, request?: Ask) => Promise<Response>
  /** Begins an attempt of the specification. */
  readonly begin: (spec: AttemptSpec) => Promise<void>
  /** The events after `after`, as they come, to the end. */
  readonly follow: (spec: AttemptSpec, after?: number) => AsyncGenerator<JobEvent>
  readonly giveToken: (spec: AttemptSpec, token: string) => Promise<void>
  /** Begins an attempt, answers `collected` with the token, and gives all its events when it has ended. */
  readonly run: (spec: AttemptSpec, token?: string) => Promise<JobEvent[]>
}

export const askRunner = (url: string, dataDir: string): RunnerUnderTest => {
  const ask: RunnerUnderTest['ask'] = (where, { method = 'GET', body, authorization } = {}) =>
    fetch(url + where, {
      method,
      headers: { authorization: authorization ?? `Bearer ${secret}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
  const begin = async (spec: AttemptSpec): Promise<void> => {
    const answer = await ask(runnerPath.attempt(spec.job, spec.attempt), { method: 'PUT', body: spec })
    if (!answer.ok) throw new Error(`${answer.status}: ${await answer.text()}`)
  }
  async function* follow(spec: AttemptSpec, after = 0): AsyncGenerator<JobEvent> {
    const answer = await ask(runnerPath.events(spec.job, spec.attempt, after))
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of answer.body ?? []) {
      const lines = (text + decoder.decode(chunk, { stream: true })).split('\n')
      text = lines.pop() ?? ''
      for (const line of lines) if (line !== '') yield jobEvent.parse(JSON.parse(line))
    }
  }
  const giveToken = async (spec: AttemptSpec, token: string): Promise<void> => {
    await ask(runnerPath.token(spec.job, spec.attempt), { method: 'PUT', body: { token } })
  }
  const run = async (spec: AttemptSpec, token?: string): Promise<JobEvent[]> => {
    await begin(spec)
    const events: JobEvent[] = []
    for await (const event of follow(spec)) {
      events.push(event)
      if (event.type === 'collected' && token !== undefined) await giveToken(spec, token)
    }
    return events
  }
  return { url, dataDir, ask, begin, follow, giveToken, run }
}

/** A runner in this process, on the real engine. It ends with the test. */
export const startTestRunner = async (
  t: Test,
  env: Readonly<Record<string, string>> = {},
): Promise<RunnerUnderTest> => {
  const dataDir = tempFolder(t)
  const runner = await startRunner(
    parseConfig({ ...runnerEnvironment(dataDir), ...env }),
    pino({ level: 'silent' }),
  )
  t.teardown(() => runner[Symbol.asyncDispose]())
  return askRunner(`http://127.0.0.1:${runner.address.port}`, dataDir)
}

export const runnerEnvironment = (dataDir: string): Record<string, string> => ({
  LISTEN: '127.0.0.1:0',
  WORKSPACE_CONTROLLER_SECRET: secret,
  DATA_DIR: dataDir,
  SANDBOX_IMAGE: sandboxImage(),
  DOCKER_HOST: process.env['DOCKER_HOST'] ?? '',
})

let lastJob = 0

/** An attempt of a new job whose agent is a shell command. */
export const specOf = (origin: Origin, task: string, change: Partial<AttemptSpec> = {}): AttemptSpec => {
  lastJob += 1
  return attemptSpec.parse({
    job: lastJob,
    attempt: 1,
    repo: 'project',
    forge: { url: origin.url, ca: origin.ca },
    base: { ref: 'refs/heads/main', commit: origin.base },
    image: null,
    agent: { kind: 'command', task },
    setup: null,
    test: null,
    limits: smallLimits,
    allow: [],
    ...change,
  })
}

/** Containers and volumes of the runner that are on the engine now. */
export const listLeft = async ({ dataDir }: RunnerUnderTest): Promise<string[]> => {
  const id = readFileSync(path.join(dataDir, 'runner-id'), 'utf8').trim()
  const filters = { label: [`${runnerLabel}=${id}`] }
  const engine = testEngine()
  const containers = await engine.listContainers({ all: true, filters })
  const { Volumes: volumes } = await engine.listVolumes({ filters })
  return [...containers.map(({ Id }) => `container ${Id}`), ...volumes.map(({ Name }) => `volume ${Name}`)]
}

/** An image that no engine has. */
export const absentImage = digest.parse(`sha256:${'0'.repeat(64)}`)

/** What the steps printed. */
export const logOf = (events: readonly JobEvent[]): string =>
  events.map((event) => (event.type === 'log' ? event.text : '')).join('')

/** The last event, which must be the end. */
export const endOf = (events: readonly JobEvent[]): Extract<JobEvent, { type: 'ended' }> => {
  const last = events.at(-1)
  if (last?.type !== 'ended') throw new Error(`the last event is ${last?.type}`)
  return last
}
