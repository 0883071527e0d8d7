/** Smart HTTP behind node-git-server's class. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { fileURLToPath } from 'node:url'
import { Git, type GitOptions } from 'node-git-server'
import { ForgeError } from '../errors.ts'
import { openAdvertiser } from './advertise.ts'
import type { GitChild } from './child.ts'
import type { GitLimits } from './git-limits.ts'
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
  host: GitHost
  /** Packs that fetches share; null for none. */
  packs: PackCache | null
  limits: GitLimits
  /** Told what no client is: faults of the server itself. */
  onFault(error: unknown): void
}

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

  constructor(repoDir: string, options: GitServerOptions) {
    super(repoDir, options)
    const { host, limits, packs, onFault } = options
    this.#host = host
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
      const route = parseGitRoute(request.method ?? '', request.url ?? '')
      await this.#serve({ request, response, route })
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
