/** Smart HTTP behind node-git-server's class. */
import { mkdirSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type https from 'node:https'
import { fileURLToPath } from 'node:url'
import { callbackify } from 'node:util'
import { Git, type GitOptions } from 'node-git-server'
import { ForgeError } from '../errors.ts'
import { closeServer, createServer } from '../listen.ts'
import { openAdvertiser } from './advertise.ts'
import type { GitChild } from './child.ts'
import { ensureRepository, openEventHost } from './compat/event-host.ts'
import { answerHead, headOf } from './compat/head.ts'
import { defaultGitLimits, type GitLimits } from './git-limits.ts'
import type { GitHost, GitRequest } from './host.ts'
import type { PackCache } from './pack-cache.ts'
import { openProcessQueue, type ProcessQueue } from './process-queue.ts'
import { openReceivePack } from './receive-pack.ts'
import { refuse } from './refuse.ts'
import { type ObjectFormat, openConfigReader } from './repo-config.ts'
import { parseGitRoute } from './route.ts'
import { openUploadPack } from './upload-pack.ts'

/** How long a git request waits for its turn, and how many wait at once, before the answer is 429. */
const patience = { waitMs: 30_000, waiting: 256 }

const hooks = fileURLToPath(new URL('../../hooks', import.meta.url))

export type GitServerOptions = GitOptions & {
  /** Who lets in and decides; without one, `authenticate` and the listeners of events do, as in node-git-server. */
  host?: GitHost
  /** Packs that fetches share; none without. */
  packs?: PackCache | null
  limits?: GitLimits
  /** Told what no client is: faults of the server itself. By default they are warnings of the process. */
  onFault?: (error: unknown) => void
}

type ListenOptions = https.ServerOptions & { type?: 'http' | 'https' }
type ListenCallback = (error?: Error) => void

const warn = (error: unknown): void => process.emitWarning(error instanceof Error ? error : String(error))

export class GitServer extends Git {
  readonly #host: GitHost
  readonly #onFault: (error: unknown) => void
  readonly #readConfig = openConfigReader()
  readonly #advertise = openAdvertiser()
  /** Strangers fetch; a line of its own keeps them out of the way of those who push. */
  readonly #fetches: ProcessQueue
  readonly #pushes: ProcessQueue
  readonly #uploadPack: ReturnType<typeof openUploadPack>
  readonly #receivePack: ReturnType<typeof openReceivePack>

  constructor(repoDir: string | ((name?: string) => string), options: GitServerOptions = {}) {
    super(repoDir, options)
    const { host, limits = defaultGitLimits, packs = null, onFault = warn } = options
    this.#host = host ?? openEventHost(this)
    this.#onFault = onFault
    const queueLimits = { all: limits.processes, each: limits.processesPerRepo, ...patience }
    this.#fetches = openProcessQueue(queueLimits)
    this.#pushes = openProcessQueue(queueLimits)
    const parts = { limits, hooks, onFault }
    this.#uploadPack = openUploadPack({ ...parts, queue: this.#fetches, packs })
    this.#receivePack = openReceivePack({ ...parts, queue: this.#pushes })
  }

  override handle(request: IncomingMessage, response: ServerResponse): void {
    void this.serve(request, response)
  }

  /** Answers one git request to its end. Never rejects. */
  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const head = this.listenerCount('head') > 0 ? headOf(request) : null
      if (head !== null) await answerHead(this, head, request, response, (path) => this.#formatOf(path))
      else {
        const route = parseGitRoute(request.method ?? '', request.url ?? '')
        await this.#serve({ request, response, route })
      }
    } catch (error) {
      if (!(error instanceof ForgeError)) this.#onFault(error)
      refuse(response, error)
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
    return this.#fetches.isBusy(path) || this.#pushes.isBusy(path)
  }

  /** Makes a bare repository (with `checkout`, one with a work tree) in the folder; one that is there stays as it is. */
  override create(repo: string, callback: (error?: Error) => void = () => undefined): void {
    callbackify(ensureRepository)(this, repo, (error) => callback(error ?? undefined))
  }

  /** Makes a folder below the folder of repositories. */
  override mkdir(dir: string): void {
    mkdirSync(this.dirMap(dir), { recursive: true })
  }

  /** The callback is told when the server listens, or why it cannot; without one, that is thrown. */
  override listen(
    port: number,
    options?: ListenOptions | ListenCallback,
    callback: ListenCallback | undefined = typeof options === 'function' ? options : undefined,
  ): this {
    const tls = typeof options === 'object' && options.type === 'https' ? options : null
    const server = createServer(tls, (request, response) => this.handle(request, response))
    this.server = server
    if (callback) server.once('error', callback)
    server.listen(port, () => callback?.())
    return this
  }

  /** Requests under way have a few seconds to end. */
  override async close(): Promise<string> {
    if (this.server) await closeServer(this.server)
    return 'Success'
  }

  async #serve(asked: GitRequest): Promise<void> {
    const { request, response, route } = asked
    const { service, action } = route
    const advertise = (format: ObjectFormat, start: () => Promise<GitChild>) =>
      this.#advertise(request, response, service, format, start)
    switch (service) {
      case 'upload-pack':
        await this.#host.fetch(asked, async (fetch) => {
          const format = await this.#formatOf(fetch.path)
          if (action === 'exchange') await this.#uploadPack.serve(asked, fetch)
          else await advertise(format, () => this.#uploadPack.advertise(asked, fetch.path))
        })
        return
      case 'receive-pack':
        await this.#host.push(asked, async (push) => {
          const format = await this.#formatOf(push.path)
          if (action === 'exchange') await this.#receivePack.serve(asked, push)
          else await advertise(format, () => this.#receivePack.advertise(asked, push))
        })
    }
  }

  /** The object format of a repository in which git may run. Throws ForgeError for any other. */
  async #formatOf(path: string): Promise<ObjectFormat> {
    const { refused, objectFormat } = await this.#readConfig(path)
    if (refused !== null) throw new ForgeError('forbidden', refused)
    return objectFormat
  }
}
