import { randomBytes } from 'node:crypto'
import fs from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { formatEngineAddress } from '../engine/address.ts'
import type { Engine } from '../engine/prepare.ts'
import { type Endpoint, type Forge, forgeUrl } from '../spbgit/forge/address.ts'
import { readBody, send } from '../spbgit/forge/send.ts'
import { demoFolder } from './folder.ts'
import { findFreePort } from './free-port.ts'
import { startPart } from './part.ts'

const pollMs = 100

/** What the demo works with once everything is up. */
export type Demo = {
  readonly forge: Forge
  /** Aborts when the person interrupts the demo or one of its parts ends. */
  readonly signal: AbortSignal
}

/** Starts runner and forge and waits until the forge answers. Rejects when one of them ends instead. */
export const startParts = async (
  engine: Engine,
  image: string,
  cleanUp: AsyncDisposableStack,
  interruption: AbortSignal,
): Promise<Demo> => {
  const secret = randomBytes(32).toString('base64url')
  const runnerPort = await findFreePort(18_443)
  const port = await findFreePort(8443)
  const url = forgeUrl.parse(`https://localhost:${port}`)
  const runner = await startPart(
    'runner',
    'runner/main.ts',
    {
      DATA_DIR: demoFolder.runner,
      LISTEN: `127.0.0.1:${runnerPort}`,
      WORKSPACE_CONTROLLER_SECRET: secret,
      SANDBOX_IMAGE: image,
      DOCKER_HOST: formatEngineAddress(engine.address),
    },
    cleanUp,
  )
  const forge = await startPart(
    'forge',
    'server/main.ts',
    {
      DATA_DIR: demoFolder.forge,
      REPOS_DIR: demoFolder.repos,
      LISTEN: `127.0.0.1:${port}`,
      PUBLIC_URL: url,
      TLS: 'self-signed',
      OWNER_TOKEN_FILE: demoFolder.ownerToken,
      WORKSPACE_CONTROLLER_URL: `http://127.0.0.1:${runnerPort}`,
      WORKSPACE_CONTROLLER_SECRET: secret,
      LOCAL_RUNNER: 'for-trying-out',
    },
    cleanUp,
  )
  const signal = AbortSignal.any([interruption, runner, forge])
  await waitUntilReady(url, signal)
  const token = (await fs.readFile(demoFolder.ownerToken, 'utf8')).trim()
  const ca = await fs.readFile(demoFolder.certificate, 'utf8')
  return { forge: { url, ca, token }, signal }
}

const waitUntilReady = async (url: Endpoint['url'], signal: AbortSignal): Promise<void> => {
  while (!(await isReady(url))) {
    signal.throwIfAborted()
    await delay(pollMs)
  }
}

/** The certificate is made at the first start, so it is read anew each time. */
const isReady = async (url: Endpoint['url']): Promise<boolean> => {
  try {
    const endpoint = { url, ca: await fs.readFile(demoFolder.certificate, 'utf8') }
    const answer = await send(endpoint, { method: 'GET', path: '/healthz', headers: {} })
    await readBody(endpoint, answer, 64 * 1024)
    return answer.statusCode === 200
  } catch {
    return false
  }
}
