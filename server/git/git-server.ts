/** Smart HTTP behind node-git-server's class: its constructor, `list`, `exists` and `create`, with our transport. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { callbackify } from 'node:util'
import { Git, type GitOptions } from 'node-git-server'
import type { Pusher, RefUpdate } from '../../hooks/decide-push.ts'
import { ForgeError } from '../errors.ts'
import type { Identity } from '../identity/identity.ts'
import { ulid } from '../identity/ulid.ts'
import { type RepoName, repoName } from '../protocol/ids.ts'
import { openAdvertiser, protocolOf } from './advertise.ts'
import { type GitChild, limitsFor, spawnGit } from './child.ts'
import { exchange } from './exchange.ts'
import { answerHooks, type HookAnswer, type HookCall } from './hook-line.ts'
import { inspectObjects, parseQuarantine, type Quarantine } from './inspect-push.ts'
import type { PackCache } from './pack-cache.ts'
import { answerPackHook } from './pack-line.ts'
import { hiddenRefs, mayPush } from './push-access.ts'
import { openConfigReader } from './repo-config.ts'
import type { Repositories } from './repositories.ts'
import { type GitRoute, parseGitRoute } from './route.ts'

/** A push on its way through git. */
export type PushInProgress = Readonly<{
  id: string
  repo: RepoName
  path: string
  pusher: Pusher
}>

/** What the forge does about a push. Each may throw, which refuses the push while it still can be. */
export type PushPolicy = Readonly<{
  /** Before any ref moves. `quarantine` holds the new objects; null when the push brings none. */
  decide(
    push: PushInProgress,
    updates: readonly RefUpdate[],
    quarantine: Quarantine | null,
  ): Promise<HookAnswer>
  /** After the refs moved: returns what the pusher reads. */
  record(push: PushInProgress, updates: readonly RefUpdate[]): Promise<readonly string[]>
  /** After git has ended, however it ended. */
  settle(push: PushInProgress): Promise<void>
}>

export type GitServerOptions = GitOptions & {
  repositories: Repositories
  hooks: string
  identify(request: IncomingMessage): Promise<Identity>
  pushes: PushPolicy
  /** Packs that fetches share; null for none. */
  packs: PackCache | null
  /** Told what no client is: faults of the forge itself. */
  onFault(error: unknown): void
}

/** git hands the hook's name to a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export class GitServer extends Git {
  readonly #options: GitServerOptions
  readonly #readConfig = openConfigReader()
  readonly #advertise = openAdvertiser()

  constructor(repoDir: string, options: GitServerOptions) {
    super(repoDir, options)
    this.#options = options
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

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const identity = await this.#options.identify(request)
    const route = parseGitRoute(request.method ?? '', request.url ?? '')
    const path = await this.#options.repositories.get(route.repo)
    const config = await this.#readConfig(path)
    if (config.refused !== null) throw new ForgeError('forbidden', config.refused)
    switch (route.service) {
      case 'upload-pack': {
        const spawn = () => this.#spawn(request, route, path, { limits: limitsFor.serving })
        if (route.action === 'exchange') await this.#upload(request, response, route, path)
        else await this.#advertise(request, response, route.service, config.objectFormat, spawn)
        return
      }
      case 'receive-pack': {
        const push: PushInProgress = {
          id: ulid(Date.now()),
          repo: route.repo,
          path,
          pusher: mayPush(identity, route.repo),
        }
        const spawn = () => this.#spawnReceivePack(request, route, push)
        if (route.action === 'exchange') await this.#receive(request, response, push, spawn())
        else await this.#advertise(request, response, route.service, config.objectFormat, spawn)
        return
      }
    }
  }

  async #upload(
    request: IncomingMessage,
    response: ServerResponse,
    route: GitRoute,
    path: string,
  ): Promise<void> {
    const { packs, hooks, onFault } = this.#options
    const limits = limitsFor.serving
    if (!packs || !(await packs.isFor(path))) {
      await exchange(request, response, this.#spawn(request, route, path, { limits }), 'upload-pack')
      return
    }
    const config = [['uploadpack.packObjectsHook', shellWord(`${hooks}/pack-objects`)]] as const
    const child = this.#spawn(request, route, path, { limits, config, hooks: true })
    const { fromHook, toHook } = child
    const hookDone = fromHook && toHook ? answerPackHook(fromHook, toHook, path, packs).catch(onFault) : null
    try {
      await exchange(request, response, child, 'upload-pack')
    } finally {
      await hookDone
    }
  }

  async #receive(
    request: IncomingMessage,
    response: ServerResponse,
    push: PushInProgress,
    child: GitChild,
  ): Promise<void> {
    const { fromHook, toHook } = child
    const hooksDone =
      fromHook && toHook
        ? answerHooks(fromHook, toHook, (call) => this.#answerHook(push, call)).catch((error: unknown) =>
            this.#options.onFault(error),
          )
        : null
    try {
      await exchange(request, response, child, 'receive-pack')
    } finally {
      await child.ended
      await hooksDone
      await this.#options.pushes.settle(push)
    }
  }

  #spawnReceivePack(
    request: IncomingMessage,
    route: GitRoute,
    { id, path, pusher }: PushInProgress,
  ): GitChild {
    return this.#spawn(request, route, path, {
      limits: limitsFor.receiving,
      config: [['core.hooksPath', this.#options.hooks], ...hiddenRefs(pusher)],
      variables: { GIT_AUTH_TOKEN_ID: pusher.token, GIT_AUTH_PUSH_ID: id },
      hooks: route.action === 'exchange',
    })
  }

  #spawn(
    request: IncomingMessage,
    { service, action }: GitRoute,
    path: string,
    options: Omit<Parameters<typeof spawnGit>[1], 'repo'>,
  ): GitChild {
    const advertise = action === 'advertise' ? ['--http-backend-info-refs'] : []
    return spawnGit([service, '--stateless-rpc', ...advertise, '.'], {
      ...options,
      repo: path,
      variables: { ...protocolOf(request), ...options.variables },
    })
  }

  async #answerHook(push: PushInProgress, call: HookCall): Promise<HookAnswer> {
    if (call.token !== push.pusher.token)
      return { say: ['this push is not the one that was let in.'], ok: false }
    switch (call.hook) {
      case 'pre-receive': {
        const quarantine = call.quarantine === null ? null : await parseQuarantine(push.path, call.quarantine)
        const tooLarge = quarantine ? await inspectObjects(quarantine, call.updates) : null
        if (tooLarge !== null) return { say: [tooLarge], ok: false }
        return this.#options.pushes.decide(push, call.updates, quarantine)
      }
      case 'post-receive':
        return { say: await this.#options.pushes.record(push, call.updates), ok: true }
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
