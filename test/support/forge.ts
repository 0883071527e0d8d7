import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import { createServer } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import type { z } from 'zod'
import { type AgentJob, agentJob, createdToken } from '../../server/protocol/api.ts'
import { git } from './git.ts'
import { tempFolder } from './temp.ts'

/** The folder of the project. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A port that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

export type Answer = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text: string
  /** The body as JSON, parsed by the schema of the API. */
  read<T extends z.ZodType>(schema: T): z.infer<T>
}>

export type Ask = Readonly<{
  method?: string
  token?: string | null
  headers?: Record<string, string>
  body?: unknown
}>

/** A real forge as a process of its own, reached over HTTPS by its users' means. */
export type RunningForge = Readonly<{
  url: string
  port: number
  /** The owner's token. */
  token: string
  /** The certificate's file and text, for whoever must trust it. */
  caFile: string
  ca: string
  dataDir: string
  child(): ChildProcess
  /** What it has logged so far. */
  log(): string
  /** The URL of a repository for git, with a token as password where one is given. */
  remote(repo: string, token?: string): string
  /** By default as the owner; `token: null` asks anonymously. A string body is sent as it is. */
  ask(path: string, request?: Ask): Promise<Answer>
  kill(signal: NodeJS.Signals): Promise<void>
  start(): Promise<void>
}>

const send = (url: string, ca: string, { method, headers = {}, body }: Ask): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
    const request = https.request(
      url,
      {
        method: method ?? (bytes === undefined ? 'GET' : 'POST'),
        ca,
        agent: false,
        headers: { ...(bytes === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      },
      (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.on('data', (chunk: string) => (text += chunk))
        response.on('end', () => {
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            text,
            read: (schema) => schema.parse(JSON.parse(text)),
          })
        })
        response.on('error', reject)
      },
    )
    request.on('error', reject)
    request.end(bytes)
  })

const untilReady = async (
  url: string,
  caFile: string,
  child: ChildProcess,
  log: () => string,
): Promise<void> => {
  const ended = once(child, 'exit').then(() => {
    throw new Error(`the forge ended: ${log()}`)
  })
  const ready = (async () => {
    while (!log().includes('the forge is ready')) await once(child.stdout ?? child, 'data')
    await send(`${url}/healthz`, readFileSync(caFile, 'utf8'), {})
  })()
  await Promise.race([ready, ended])
}

/** Starts a forge in a data folder of its own. It ends with the test. `source`: where its program lies. */
export const startForge = async (
  t: Test,
  env: Record<string, string> = {},
  source: string = root,
): Promise<RunningForge> => {
  const dataDir = tempFolder(t)
  const port = await freePort()
  const url = `https://localhost:${port}`
  const caFile = path.join(dataDir, 'tls/cert.pem')
  const ownerFile = path.join(dataDir, 'owner-token')
  let child: ChildProcess
  let log = ''

  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  const start = async (): Promise<void> => {
    log = ''
    child = spawn(process.execPath, [path.join(source, 'server/main.ts')], {
      cwd: dataDir,
      env: {
        PATH: process.env['PATH'] ?? '',
        DATA_DIR: dataDir,
        LISTEN: `127.0.0.1:${port}`,
        PUBLIC_URL: url,
        OWNER_TOKEN_FILE: ownerFile,
        // Tests try many wrong tokens from one address.
        FAILED_SIGN_INS: '100000',
        ...env,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    child.stderr?.on('data', (chunk: Buffer) => (log += chunk.toString()))
    await untilReady(url, caFile, child, () => log)
  }
  t.teardown(() => kill('SIGTERM'))
  await start()
  const token = readFileSync(ownerFile, 'utf8').trim()
  const ca = readFileSync(caFile, 'utf8')
  return {
    url,
    port,
    token,
    caFile,
    ca,
    dataDir,
    child: () => child,
    log: () => log,
    remote: (repo, password) => `${password ? url.replace('//', `//x:${password}@`) : url}/${repo}.git`,
    ask: (where, request = {}) => {
      const bearer = request.token === undefined ? token : request.token
      const authorization = bearer === null ? {} : { authorization: `Bearer ${bearer}` }
      return send(url + where, ca, { ...request, headers: { ...authorization, ...request.headers } })
    },
    kill,
    start,
  }
}

/** A repository of the forge and a clone of it with one commit, pushed to `main`. */
export const makeRepo = async (
  t: Test,
  forge: RunningForge,
  name = 'hello',
  files: Record<string, string> = { 'README.md': '# hello\n' },
): Promise<{ name: string; work: string; base: string }> => {
  await forge.ask('/api/v1/repos', { body: { name } })
  const work = tempFolder(t)
  await git(['init', '-q', '-b', 'main'], { cwd: work })
  for (const [file, text] of Object.entries(files)) writeFileSync(path.join(work, file), text)
  await git(['add', '-A'], { cwd: work })
  await git(['commit', '-qm', 'Begin'], { cwd: work })
  await git(['push', '-q', forge.remote(name, forge.token), 'main'], { cwd: work, ca: forge.caFile })
  return { name, work, base: await git(['rev-parse', 'HEAD'], { cwd: work }) }
}

export const startJob = async (forge: RunningForge, repo: string, task: string): Promise<AgentJob> => {
  const answer = await forge.ask(`/api/v1/repos/${repo}/agent-jobs`, { body: { task } })
  return answer.read(agentJob)
}

/** A job's token as the specification has it, for an hour. */
export const jobToken = async (
  forge: RunningForge,
  repo: string,
  job: number,
  ms = 3_600_000,
): Promise<string> => {
  const scope = { repo, refs: `refs/agents/${job}/*`, expires: new Date(Date.now() + ms).toISOString() }
  const answer = await forge.ask('/api/v1/tokens', { body: { label: 'test', scope } })
  return answer.read(createdToken).token
}

/** Commits a file on top of what is checked out, and returns the commit. */
export const commitFile = async (work: string, file: string, text: string): Promise<string> => {
  writeFileSync(path.join(work, file), text)
  await git(['add', '-A'], { cwd: work })
  await git(['commit', '-qm', `Change ${file}`], { cwd: work })
  return git(['rev-parse', 'HEAD'], { cwd: work })
}
