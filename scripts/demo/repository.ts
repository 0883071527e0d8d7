import { execFile } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import { promisify } from 'node:util'
import { repoName } from '../../server/protocol/ids.ts'
import type { Forge } from '../spbgit/forge/address.ts'
import { createRepo, listRepos } from '../spbgit/forge/api.ts'
import { demoFolder } from './folder.ts'
import { helloFiles } from './hello-files.ts'

export const demoRepo = repoName.parse('hello')

/** Sees to it that the forge has the demo's repository, pushed by the real git; leaves alone what is there. */
export const prepareRepository = async (forge: Forge, signal: AbortSignal): Promise<void> => {
  const known = (await listRepos(forge)).find(({ name }) => name === demoRepo)
  const { cloneUrl } = known ?? (await createRepo(forge, demoRepo))
  if (known === undefined || known.empty) await push(forge, cloneUrl, signal)
  // The port may be another than last time.
  await git(['remote', 'set-url', 'origin', cloneUrl], {}, signal)
}

const push = async (forge: Forge, cloneUrl: string, signal: AbortSignal): Promise<void> => {
  await fs.rm(demoFolder.checkout, { recursive: true, force: true })
  await fs.mkdir(demoFolder.checkout)
  for (const [name, content] of Object.entries(helloFiles))
    await fs.writeFile(path.join(demoFolder.checkout, name), content)
  await git(['init', '--quiet', '--initial-branch=main'], {}, signal)
  await git(['config', 'http.sslCAInfo', demoFolder.certificate], {}, signal)
  await git(['remote', 'add', 'origin', cloneUrl], {}, signal)
  await git(['add', '--all'], {}, signal)
  const person = { NAME: 'Demo', EMAIL: 'demo@localhost' }
  const author = { GIT_AUTHOR_NAME: person.NAME, GIT_AUTHOR_EMAIL: person.EMAIL }
  const committer = { GIT_COMMITTER_NAME: person.NAME, GIT_COMMITTER_EMAIL: person.EMAIL }
  await git(['commit', '--quiet', '--message=Greet by name'], { ...author, ...committer }, signal)
  await git(['push', '--quiet', '--set-upstream', 'origin', 'main'], authorization(forge), signal)
}

/** The token for this one command: in no argument, no file and no URL. */
const authorization = ({ token }: Forge): Record<string, string> => {
  const credentials = Buffer.from(`owner:${token}`).toString('base64')
  return {
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'http.extraHeader',
    GIT_CONFIG_VALUE_0: `Authorization: Basic ${credentials}`,
  }
}

/** git in the checkout, with nothing of the person's own configuration. */
const git = async (
  args: readonly string[],
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<void> => {
  await promisify(execFile)('git', args, {
    cwd: demoFolder.checkout,
    env: {
      PATH: process.env['PATH'],
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      ...env,
    },
    timeout: 60_000,
    signal,
  })
}
