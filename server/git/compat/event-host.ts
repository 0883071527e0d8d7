/** node-git-server behind the transport: its `authenticate` lets in, its events decide, its folders are served. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { Git } from 'node-git-server'
import { ForgeError } from '../../errors.ts'
import { ulid } from '../../identity/ulid.ts'
import { tokenId } from '../../protocol/ids.ts'
import type { AdmittedPush, GitHost, GitRequest } from '../host.ts'
import { makeRepository } from '../make-repository.ts'
import { adoptBranch } from './adopt-branch.ts'
import { askListeners } from './ask-listeners.ts'
import { authenticate } from './authenticate.ts'
import { openRefDecisions } from './decide-refs.ts'
import { withEmptyRepository } from './empty-repository.ts'
import { FetchEvent, GitEvent, type GitEventOptions } from './git-event.ts'
import { bareName, checkName, type Found, findRepository, foundAt, placeFor } from './repository-name.ts'

/** Makes the repository unless it is there. Throws ForgeError for a name that can be none’s. */
export const ensureRepository = async (git: Git, name: string): Promise<Found> => {
  const dirMap = (dir?: string): string => git.dirMap(dir)
  await checkName(dirMap, name)
  const checkout = git.checkout === true
  const folder = placeFor(dirMap, name)
  await mkdir(path.dirname(folder), { recursive: true })
  await makeRepository(folder, checkout ? 'work-tree' : 'bare')
  return foundAt(folder, checkout)
}

export const openEventHost = (git: Git): GitHost => {
  const dirMap = (dir?: string): string => git.dirMap(dir)
  const find = (name: string): Promise<Found | null> => findRepository(dirMap, name, git.checkout === true)

  const about = ({ request, response, route }: GitRequest, found: Found | null): GitEventOptions => ({
    req: request,
    res: response,
    repo: route.name,
    cwd: found?.folder ?? placeFor(dirMap, route.name),
    exists: found !== null,
  })

  /** The repository that is asked for, by somebody who may; null for one that a push may make. */
  const enter = async (asked: GitRequest, type: 'fetch' | 'push'): Promise<Found | null> => {
    const { request, route } = asked
    await checkName(dirMap, route.name)
    if (git.authenticate) await authenticate(git.authenticate, { type, repo: bareName(route.name) }, request)
    const found = await find(route.name)
    if (found === null && !git.autoCreate) throw new ForgeError('not-found', 'There is no such repository.')
    if (route.action === 'advertise') await askListeners(git, 'info', new GitEvent(about(asked, found)))
    return found
  }

  const admit = (asked: GitRequest, found: Found | null, repo: string): AdmittedPush => {
    const refs = openRefDecisions(git, about(asked, found))
    const id = ulid(Date.now())
    return {
      path: repo,
      token: tokenId.parse(id),
      variables: { GIT_AUTH_PUSH_ID: id },
      config: git.checkout === true ? [['receive.denyCurrentBranch', 'updateInstead']] : [],
      decide: (updates, _quarantine, { over }) => refs.decide(updates, over),
      async record(updates) {
        if (git.checkout !== true) await adoptBranch(repo, updates)
        return refs.takeLines()
      },
      settle: async () => refs.end(),
    }
  }

  return {
    async fetch(asked, serve) {
      const found = await enter(asked, 'fetch')
      const wants = (commit: string): Promise<void> =>
        askListeners(git, 'fetch', new FetchEvent({ ...about(asked, found), commit }))
      const serveAt = (repo: string): Promise<void> =>
        serve({ path: repo, wants: git.listenerCount('fetch') > 0 ? wants : null })
      // A repository that is not there yet reads as an empty one: a GET makes nothing.
      await (found ? serveAt(found.path) : withEmptyRepository(serveAt))
    },

    async push(asked, serve) {
      const found = await enter(asked, 'push')
      const serveAt = (repo: string): Promise<void> => serve(admit(asked, found, repo))
      if (found) await serveAt(found.path)
      else if (asked.route.action === 'advertise') await withEmptyRepository(serveAt)
      else await serveAt((await ensureRepository(git, asked.route.name)).path)
    },
  }
}
