/** `spbgit` as a process, on pipes or on a terminal of its own. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'tap'
import { credentialsPath, withForge, writeCredentials } from '../../../../scripts/spbgit/credentials.ts'
import { forgeUrl } from '../../../../scripts/spbgit/forge/address.ts'
import { need } from '../../../support/need.ts'

const launcher = fileURLToPath(new URL('../../../../scripts/spbgit/spbgit.js', import.meta.url))

/** A home folder that ends with the test. */
export const makeHome = async (t: Test): Promise<string> => {
  const home = await fs.mkdtemp(path.join(os.tmpdir(), 'spbgit-'))
  t.teardown(() => fs.rm(home, { recursive: true, force: true }))
  return home
}

/** A home folder in which one is signed in to this forge. */
export const makeSignedInHome = async (t: Test, forge: { url: string; cert: Buffer }): Promise<string> => {
  const home = await makeHome(t)
  const signedIn = { url: forgeUrl.parse(forge.url), ca: forge.cert.toString(), token: 'token' }
  await writeCredentials(credentialsPath({}, home), withForge({ current: null, forges: [] }, signedIn))
  return home
}

/** A running process: what it wrote so far, and where to wait for more. */
export const watchProcess = (t: Test, child: ChildProcessWithoutNullStreams) => {
  let [stdout, stderr] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
    wrote.emit('more')
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
    wrote.emit('more')
  })
  child.stdin.on('error', () => undefined)
  const closed = once(child, 'close')
  const wrote = new EventEmitter()
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  return {
    /** Waits until both streams together hold the text. */
    sees: async (wanted: string) => {
      while (!(stdout + stderr).includes(wanted)) {
        if (child.exitCode !== null || child.signalCode !== null)
          throw new Error(`ended without “${wanted}”:\n${stdout}${stderr}`)
        await Promise.race([once(wrote, 'more'), closed])
      }
    },
    types: (text: string) => child.stdin.write(text),
    interrupt: () => child.kill('SIGINT'),
    /** The end of it. */
    end: async () => {
      child.stdin.end()
      await closed
      return { code: child.exitCode, stdout, stderr }
    },
  }
}

const environment = (home: string, extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  PATH: process.env['PATH'],
  HOME: home,
  TERM: 'xterm',
  ...extra,
})

/** Starts it with pipes for all three streams. */
export const start = (t: Test, home: string, args: readonly string[], env?: NodeJS.ProcessEnv) =>
  watchProcess(t, spawn(process.execPath, [launcher, ...args], { env: environment(home, env) }))

/** Runs it to its end, with `input` on stdin. */
export const run = (t: Test, home: string, args: readonly string[], input = '', env?: NodeJS.ProcessEnv) => {
  const running = start(t, home, args, env)
  running.types(input)
  return running.end()
}

/** For tests that use `startOnTerminal`. */
export const needTerminal = need(
  /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? ''),
  'script(1) of util-linux is missing',
)

/** Starts it on a terminal, by util-linux's script(1); stdout then holds all that the terminal shows. */
export const startOnTerminal = (t: Test, home: string, args: readonly string[]) => {
  const quoted = [process.execPath, launcher, ...args].map((arg) => `'${arg.replaceAll("'", `'\\''`)}'`)
  const env = environment(home, { SHELL: '/bin/sh' })
  const command = `stty rows 24 cols 100; exec ${quoted.join(' ')}`
  return watchProcess(t, spawn('script', ['-qefc', command, '/dev/null'], { env }))
}
