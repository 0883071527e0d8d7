/** `GET /<name>/HEAD`: what smart HTTP does not need, for whoever listens for it. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Git } from 'node-git-server'
import { ForgeError } from '../../errors.ts'
import { readDefaultBranch } from '../reading.ts'
import { askListeners } from './ask-listeners.ts'
import { authenticate } from './authenticate.ts'
import { GitEvent } from './git-event.ts'
import { bareName, checkName, findRepository } from './repository-name.ts'

/** The repository whose HEAD is asked for, or null. */
export const headOf = ({ method, url }: IncomingMessage): string | null => {
  const { pathname } = URL.parse(url ?? '', 'http://server.invalid') ?? { pathname: '' }
  return method === 'GET' ? (/^\/(.+)\/HEAD$/.exec(pathname)?.[1] ?? null) : null
}

/**
 * Says which branch is the default one, once a listener has accepted. `check` throws for a repository in which git
 * must not run. Throws ForgeError.
 */
export const answerHead = async (
  git: Git,
  name: string,
  request: IncomingMessage,
  response: ServerResponse,
  check: (path: string) => Promise<unknown>,
): Promise<void> => {
  const dirMap = (dir?: string): string => git.dirMap(dir)
  await checkName(dirMap, name)
  if (git.authenticate) await authenticate(git.authenticate, { type: 'fetch', repo: bareName(name) }, request)
  const found = await findRepository(dirMap, name, git.checkout === true)
  if (!found) throw new ForgeError('not-found', 'There is no such repository.')
  const about = { req: request, res: response, repo: name, cwd: found.folder, exists: true }
  await askListeners(git, 'head', new GitEvent(about))
  await check(found.path)
  const branch = await readDefaultBranch(found.path)
  if (branch === null) throw new ForgeError('not-found', 'HEAD names no branch.')
  response.setHeader('content-type', 'text/plain; charset=utf-8')
  response.end(`ref: ${branch}\n`)
}
