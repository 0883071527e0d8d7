import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import fs from 'node:fs/promises'
import net from 'node:net'
import path from 'node:path'
import readline from 'node:readline'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { makeHome, run, start } from './support/spbgit.ts'

const main = fileURLToPath(new URL('../../../server/main.ts', import.meta.url))

const freePort = async (): Promise<number> => {
  const server = net.createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (address === null || typeof address === 'string') throw new Error('no port')
  return address.port
}

/** The forge as `npm start` runs it, without a runner, so that its jobs stay queued. */
const startForge = async (t: Test, folder: string, port: number) => {
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: {
      PATH: process.env['PATH'],
      DATA_DIR: path.join(folder, 'data'),
      LISTEN: `127.0.0.1:${port}`,
      OWNER_TOKEN_FILE: path.join(folder, 'owner-token'),
    },
  })
  const exited = once(child, 'exit')
  const kill = async () => {
    child.kill('SIGKILL')
    await exited
  }
  t.teardown(kill)
  const lines = readline.createInterface({ input: child.stdout })
  for await (const line of lines) if (line.includes('the forge is ready')) break
  child.stdout.resume()
  return { kill }
}

/** Pushes a first commit to `main` of `demo`. */
const push = (folder: string, url: string, token: string): void => {
  const work = path.join(folder, 'work')
  const ca = path.join(folder, 'data', 'tls', 'cert.pem')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', work, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      env: { PATH: process.env['PATH'], GIT_CONFIG_GLOBAL: '/dev/null', GIT_SSL_CAINFO: ca },
      stdio: 'pipe',
    })
  execFileSync('git', ['init', '-q', '-b', 'main', work])
  git('commit', '-q', '--allow-empty', '-m', 'first')
  git('-c', `http.extraHeader=Authorization: Bearer ${token}`, 'push', '-q', `${url}/demo.git`, 'main')
}

t.test(
  'a person signs in, makes a repository, starts a job, follows it across a crash and ends it',
  async (t) => {
    const folder = await makeHome(t)
    const port = await freePort()
    const url = `https://localhost:${port}`
    const forge = await startForge(t, folder, port)
    const ca = path.join(folder, 'data', 'tls', 'cert.pem')
    const tokenFile = path.join(folder, 'owner-token')

    t.equal((await run(t, folder, ['login', url, '--ca', ca, '--token-file', tokenFile])).code, 0)
    t.equal((await run(t, folder, ['repo', 'create', 'demo'])).stdout, `${url}/demo.git\n`)
    const empty = await run(t, folder, ['agent', 'run', 'demo', 'true'])
    t.equal(empty.code, 1)
    t.match(empty.stderr, 'The repository is empty')

    push(folder, url, (await fs.readFile(tokenFile, 'utf8')).trim())
    t.match(JSON.parse((await run(t, folder, ['repo', 'list', '--json'])).stdout), [
      { name: 'demo', empty: false },
    ])

    const following = start(t, folder, ['agent', 'run', 'demo', 'echo hello', '--json'])
    await following.sees('"state":"queued"')
    t.match((await run(t, folder, ['agent', 'list', 'demo'])).stdout, /^1 +queued .* echo hello$/m)
    const early = await run(t, folder, ['agent', 'approve', 'demo', '1', '--branch', 'x', '--yes'])
    t.equal(early.code, 1)
    t.match(early.stderr, 'has no proposal')

    await forge.kill()
    await following.sees('The connection was lost')
    await startForge(t, folder, port)
    await following.sees('The forge is there again')

    t.equal((await run(t, folder, ['agent', 'cancel', 'demo', '1'])).code, 0)
    const { code, stdout } = await following.end()
    t.equal(code, 4)
    t.match(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''), {
      id: 1,
      state: 'cancelled',
      reason: 'cancelled',
    })
    t.match((await run(t, folder, ['agent', 'show', 'demo', '1'])).stdout, 'A person cancelled the job.')
    t.match(JSON.parse((await run(t, folder, ['agent', 'list', '--json'])).stdout), [
      { job: 1, exitReason: 'cancelled' },
    ])
    t.equal((await run(t, folder, ['agent', 'cancel', 'demo', '1'])).code, 1, 'it has ended already')
  },
)
