/** Smart HTTP behind node-git-server's class: its constructor, `list`, `exists` and `create`, with our transport. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { callbackify } from 'node:util'
import { Git, type GitOptions } from 'node-git-server'
import { ForgeError } from '../errors.ts'
import type { Identity } from '../identity/identity.ts'
import { ulid } from '../identity/ulid.ts'
import { repoName } from '../protocol/ids.ts'
import { openAdvertiser } from './advertise.ts'
import type { GitChild } from './child.ts'
import type { GitLimits } from './git-limits.ts'
import type { PackCache } from './pack-cache.ts'
import { openProcessQueue, type ProcessQueue } from './process-queue.ts'
import type { PushInProgress, PushPolicy } from './push.ts'
import { mayPush } from './push-access.ts'
import { openReceivePack } from './receive-pack.ts'
import { openConfigReader } from './repo-config.ts'
import type { Repositories } from './repositories.ts'
import { parseGitRoute } from './route.ts'
import { openUploadPack } from './upload-pack.ts'

/** How long a git request waits for its turn, and how many wait at once, before the answer is 429. */
const patience = { waitMs: 30_000, waiting: 256 }

export type GitServerOptions = GitOptions & {
  repositories: Repositories
  hooks: string
  identify(request: IncomingMessage): Promise<Identity>
  pushes: PushPolicy
  /** Packs that fetches share; null for none. */
  packs: PackCache | null
  limits: GitLimits
  /** Told what no client is: faults of the forge itself. */
  onFault(error: unknown): void
}

export class GitServer extends Git {
  readonly #options: GitServerOptions
  readonly #readConfig = openConfigReader()
  readonly #advertise = openAdvertiser()
  readonly #queue: ProcessQueue
  readonly #uploadPack: ReturnType<typeof openUploadPack>
  readonly #receivePack: ReturnType<typeof openReceivePack>

  constructor(repoDir: string, options: GitServerOptions) {
    super(repoDir, options)
    this.#options = options
    const { processes: all, processesPerRepo: each } = options.limits
    this.#queue = openProcessQueue({ all, each, ...patience })
    this.#uploadPack = openUploadPack({ ...options, queue: this.#queue })
    this.#receivePack = openReceivePack({ ...options, queue: this.#queue })
  }

  override handle(request: IncomingMessage, response: ServerResponse): void {
    void this.serve(request, response)
  }

  /** Answers one git request to its end. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      await this.#serve(request, response)
    } catch (error) {
      this.#refuse(response, error)
    } finally {
      // The next request on this connection starts after the body of this one.
      request.resume()
    }
  }

  /** Why a repository is not served, as a sentence, or null. */
  async refusedBecause(path: string): Promise<string | null> {
    return (await this.#readConfig(path)).refused
  }

  /** Whether a git request is served in the repository, or waits, at this moment. */
  isBusy(path: string): boolean {
    return this.#queue.isBusy(path)
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const identity = await this.#options.identify(request)
    const route = parseGitRoute(request.method ?? '', request.url ?? '')
    const path = await this.#options.repositories.get(route.repo)
    const config = await this.#readConfig(path)
    if (config.refused !== null) throw new ForgeError('forbidden', config.refused)
    const { service, action } = route
    const advertise = (start: () => Promise<GitChild>) =>
      this.#advertise(request, response, service, config.objectFormat, start)
    switch (service) {
      case 'upload-pack':
        if (action === 'exchange') await this.#uploadPack.serve(request, response, route, path)
        else await advertise(() => this.#uploadPack.advertise(request, route, path))
        return
      case 'receive-pack': {
        const pusher = mayPush(identity, route.repo)
        const push: PushInProgress = { id: ulid(Date.now()), repo: route.repo, path, pusher }
        if (action === 'exchange') await this.#receivePack.serve(request, response, route, push)
        else await advertise(() => this.#receivePack.advertise(request, route, push))
      }
    }
  }

  #refuse(response: ServerResponse, error: unknown): void {
    if (!(error instanceof ForgeError)) this.#options.onFault(error)
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    const known =
      error instanceof ForgeError ? error : new ForgeError('internal', 'The forge failed. Try again.')
    response.statusCode = known.status
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    response.setHeader('cache-control', 'no-store')
    if (known.retryAfterSeconds !== null) response.setHeader('retry-after', known.retryAfterSeconds)
    if (known.status === 401)
      response.setHeader('www-authenticate', 'Basic realm="Agent Workspace", charset="UTF-8"')
    response.end(`${known.message}\n`)
  }

  override list(callback: (error: Error | undefined, repos?: string[]) => void): void
  override list(): Promise<string[]>
  override list(
    callback?: (error: Error | undefined, repos?: string[]) => void,
  ): Promise<string[]> | undefined {
    const listed = async () => (await this.#options.repositories.list()).map((name) => `${name}.git`)
    if (!callback) return listed()
    callbackify(listed)((error, names) => callback(error ?? undefined, names))
    return undefined
  }

  override create(repo: string, callback: (error?: Error) => void): void {
    const created = async (): Promise<void> => {
      const name = repoName.safeParse(repo.replace(/\.git$/, ''))
      if (!name.success) throw new ForgeError('bad-request', `${repo} cannot be a repository’s name.`)
      await this.#options.repositories.create(name.data)
    }
    callbackify(created)((error) => callback(error ?? undefined))
  }
}
