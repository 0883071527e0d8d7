/** The events of node-git-server: a request, and a decision about it. */
import { EventEmitter } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { format } from 'node:util'
import type { HttpDuplex } from 'node-git-server'
import { basicCredentials } from './basic-credentials.ts'

export type Verdict = Readonly<{ accept: true } | { accept: false; status: number; message: string }>

export type GitEventOptions = Readonly<{
  req: IncomingMessage
  res: ServerResponse
  /** As the URL has it. */
  repo: string
  /** The folder of the repository, which may have to be made yet. */
  cwd: string
  exists: boolean
}>

/** `info` and `head`. Has node-git-server's type without its constructor, which takes the body away from git. */
export class GitEvent extends EventEmitter implements HttpDuplex {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  readonly repo: string
  readonly cwd: string
  readonly exists: boolean
  status: 'pending' | 'accepted' | 'rejected' = 'pending'
  readonly #decided = Promise.withResolvers<Verdict>()

  constructor({ req, res, repo, cwd, exists }: GitEventOptions) {
    super()
    this.req = req
    this.res = res
    this.repo = repo
    this.cwd = cwd
    this.exists = exists
  }

  /** What the first call of `accept` or `reject` said. */
  get verdict(): Promise<Verdict> {
    return this.#decided.promise
  }

  accept(): void {
    if (this.status !== 'pending') return
    this.status = 'accepted'
    this.#decided.resolve({ accept: true })
    this.emit('accept')
  }

  /** A message alone is a 500, as in node-git-server. */
  reject(code: number | string, msg?: string): void {
    if (this.status !== 'pending') return
    this.status = 'rejected'
    const isStatus = typeof code === 'number' && code >= 400 && code <= 599
    const status = isStatus ? code : 500
    const message = msg ?? (typeof code === 'string' ? code : 'The server has refused this.')
    this.#decided.resolve({ accept: false, status, message })
    this.emit('reject', status, message)
  }

  get username(): string | undefined {
    return basicCredentials(this.req)?.username
  }

  get complete(): boolean {
    return this.req.complete
  }

  get connection(): IncomingMessage['socket'] {
    return this.req.socket
  }

  get socket(): IncomingMessage['socket'] {
    return this.req.socket
  }

  get headers(): IncomingMessage['headers'] {
    return this.req.headers
  }

  get httpVersion(): string {
    return this.req.httpVersion
  }

  get httpVersionMajor(): number {
    return this.req.httpVersionMajor
  }

  get httpVersionMinor(): number {
    return this.req.httpVersionMinor
  }

  get method(): string | undefined {
    return this.req.method
  }

  get url(): string | undefined {
    return this.req.url
  }

  get trailers(): NodeJS.Dict<string> {
    return this.req.trailers
  }

  get readable(): boolean {
    return this.req.readable
  }

  get writable(): boolean {
    return this.res.writable
  }

  get statusCode(): number {
    return this.res.statusCode
  }

  set statusCode(code: number) {
    this.res.statusCode = code
  }

  get statusMessage(): string {
    return this.res.statusMessage
  }

  set statusMessage(message: string) {
    this.res.statusMessage = message
  }

  setHeader(name: string, value: string): void {
    this.res.setHeader(name, value)
  }

  writeHead(statusCode: number, statusMessage: string, headers: string[]): this {
    this.res.writeHead(statusCode, statusMessage, headers)
    return this
  }

  end(reason?: string | Buffer): void {
    this.res.end(reason)
  }

  destroy(): void {
    this.req.destroy()
  }

  cork(): this {
    this.res.cork()
    return this
  }

  uncork(): this {
    this.res.uncork()
    return this
  }
}

/** `fetch`: the commit is the first one that is wanted. */
export class FetchEvent extends GitEvent {
  readonly service = 'upload-pack'
  readonly commit: string

  constructor(options: GitEventOptions & { commit: string }) {
    super(options)
    this.commit = options.commit
  }
}

/** What `push` and `tag` have in common: one ref that shall move, and a way to speak to the pusher. */
class RefEvent extends GitEvent {
  readonly service = 'receive-pack'
  /** The full name of the ref. */
  readonly ref: string
  /** Where the ref is, and where it shall go; all zeros where it does not exist before or after. */
  readonly last: string
  readonly commit: string
  #lines: string[] = []

  constructor(options: RefEventOptions) {
    super(options)
    this.ref = options.ref
    this.last = options.last
    this.commit = options.commit
    // Listeners of `response` get something to write lines with, as node-git-server's stream has it.
    this.once('accept', () => this.emit('response', { log: this.log.bind(this) }, () => undefined))
  }

  /** A line for the pusher's terminal, formatted as `console.log` does. */
  log(...args: unknown[]): void {
    this.#lines.push(format(...args))
  }

  /** The lines since the last time. */
  takeLines(): string[] {
    return this.#lines.splice(0)
  }
}

type RefEventOptions = GitEventOptions & Readonly<{ ref: string; last: string; commit: string }>

/** `push`: a branch by its short name; any other ref but a tag by its full one. */
export class PushEvent extends RefEvent {
  readonly branch: string

  constructor(options: RefEventOptions) {
    super(options)
    this.branch = options.ref.replace(/^refs\/heads\//, '')
  }
}

/** `tag`: a tag by its short name. */
export class TagEvent extends RefEvent {
  readonly version: string

  constructor(options: RefEventOptions) {
    super(options)
    this.version = options.ref.replace(/^refs\/tags\//, '')
  }
}
