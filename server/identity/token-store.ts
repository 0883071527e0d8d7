/** Tokens: made, checked, listed and revoked. Secrets are stored as hashes only. */
import { timingSafeEqual } from 'node:crypto'
import type { Selectable } from 'kysely'
import type { Scope } from '../../hooks/decide-push.ts'
import type { AuditLog } from '../audit/log.ts'
import { ForgeError } from '../errors.ts'
import type { Token } from '../protocol/api.ts'
import { type JobId, jobId, type RepoName, repoName, type TokenId, toIso, tokenId } from '../protocol/ids.ts'
import { jobRefs, refGlob } from '../protocol/refs.ts'
import type { Database } from '../store/database.ts'
import type { Tables } from '../store/schema.ts'
import type { Identity } from './identity.ts'
import { mintToken, readToken } from './token-text.ts'
import { ulid } from './ulid.ts'

type Row = Pick<
  Selectable<Tables['tokens']>,
  | 'id'
  | 'kind'
  | 'label'
  | 'scope_repo'
  | 'scope_refs'
  | 'scope_job'
  | 'created_at'
  | 'expires_at'
  | 'revoked_at'
>

/** No job token lives longer. */
export const longestJobToken = 2 * 60 * 60_000

const scopeOf = (row: Row): Scope | null =>
  row.kind === 'personal'
    ? null
    : {
        repo: repoName.parse(row.scope_repo),
        refs: refGlob.parse(row.scope_refs),
        job: jobId.parse(row.scope_job),
        expires: row.expires_at ?? 0,
        capabilities: ['push:agent-ref'],
      }

const toToken = (row: Row): Token => {
  const scope = scopeOf(row)
  return {
    id: tokenId.parse(row.id),
    kind: row.kind,
    label: row.label,
    scope: scope && {
      repo: scope.repo,
      refs: scope.refs,
      expires: toIso(scope.expires),
      capabilities: [...scope.capabilities],
    },
    createdAt: toIso(row.created_at),
    revokedAt: row.revoked_at === null ? null : toIso(row.revoked_at),
  }
}

export type NewScope = Readonly<{ repo: RepoName; job: JobId; expires: number }>

export class TokenStore {
  readonly #db: Database
  readonly #audit: AuditLog
  readonly #now: () => number

  constructor(db: Database, audit: AuditLog, now: () => number) {
    this.#db = db
    this.#audit = audit
    this.#now = now
  }

  /**
   * Makes a token and returns its text, which nobody can read again. Without a scope it may do all that its person
   * may; with one it may push the refs of that job until `expires`, two hours from now at most.
   */
  async create(
    label: string,
    { scope, by }: { scope?: NewScope; by: TokenId | null },
  ): Promise<{ token: Token; text: string }> {
    const now = this.#now()
    if (scope && !(scope.expires > now && scope.expires <= now + longestJobToken)) {
      throw new ForgeError('bad-request', 'A job token expires in the future, two hours from now at most.')
    }
    const id = tokenId.parse(ulid(now))
    const { text, hash } = mintToken(scope ? 'job' : 'personal', id)
    const row = {
      id,
      kind: scope ? ('job' as const) : ('personal' as const),
      label,
      scope_repo: scope?.repo ?? null,
      scope_refs: scope ? jobRefs(scope.job) : null,
      scope_job: scope?.job ?? null,
      created_at: now,
      expires_at: scope?.expires ?? null,
      revoked_at: null,
    }
    const token = toToken(row)
    await this.#audit.append(
      {
        type: 'token-created',
        token: id,
        label,
        scope: token.scope && {
          repo: token.scope.repo,
          refs: token.scope.refs,
          expires: token.scope.expires,
        },
        by,
        job: scope?.job ?? null,
      },
      now,
    )
    await this.#db
      .insertInto('tokens')
      .values({ ...row, person: 1, hash })
      .execute()
    return { token, text }
  }

  /** Who the text stands for, or null for one that is malformed, unknown, revoked or expired. */
  async verify(text: string): Promise<Exclude<Identity, { kind: 'anonymous' }> | null> {
    const parsed = readToken(text)
    if (!parsed) return null
    const row = await this.#db
      .selectFrom('tokens')
      .innerJoin('people', 'people.id', 'tokens.person')
      .selectAll('tokens')
      .select('people.name')
      .where('tokens.id', '=', parsed.id)
      .executeTakeFirst()
    if (!row || !timingSafeEqual(row.hash, parsed.hash) || row.kind !== parsed.kind) return null
    if (row.revoked_at !== null || (row.expires_at !== null && row.expires_at <= this.#now())) return null
    const scope = scopeOf(row)
    return scope
      ? { kind: 'job', token: parsed.id, scope }
      : { kind: 'person', token: parsed.id, person: row.name, label: row.label }
  }

  /** Whether the token is still neither revoked nor expired: for what takes a while after it was verified. */
  async isLive(id: TokenId): Promise<boolean> {
    const row = await this.#db
      .selectFrom('tokens')
      .select(['revoked_at', 'expires_at'])
      .where('id', '=', id)
      .executeTakeFirst()
    return row?.revoked_at === null && (row.expires_at === null || row.expires_at > this.#now())
  }

  /** Newest first, by pages: pass the last id of a page as `before` for the next. */
  async list(before: TokenId | null, limit: number): Promise<Token[]> {
    const query = this.#db.selectFrom('tokens').selectAll().orderBy('id', 'desc').limit(limit)
    const rows = await (before ? query.where('id', '<', before) : query).execute()
    return rows.map(toToken)
  }

  /** Those that are neither revoked nor expired; pages as `list` has them. */
  async listLive(before: TokenId | null, limit: number): Promise<Token[]> {
    const query = this.#db
      .selectFrom('tokens')
      .selectAll()
      .where('revoked_at', 'is', null)
      .where((where) => where.or([where('expires_at', 'is', null), where('expires_at', '>', this.#now())]))
      .orderBy('id', 'desc')
      .limit(limit)
    const rows = await (before ? query.where('id', '<', before) : query).execute()
    return rows.map(toToken)
  }

  /** The labels of these tokens. */
  async labels(ids: readonly TokenId[]): Promise<ReadonlyMap<TokenId, string>> {
    if (ids.length === 0) return new Map()
    const rows = await this.#db
      .selectFrom('tokens')
      .select(['id', 'label'])
      .where('id', 'in', [...new Set(ids)])
      .execute()
    return new Map(rows.map(({ id, label }) => [tokenId.parse(id), label]))
  }

  /** Ends a token and every session that was opened with it. Idempotent; 404 for an unknown id. */
  async revoke(id: TokenId, by: TokenId | null): Promise<void> {
    const now = this.#now()
    const row = await this.#db
      .selectFrom('tokens')
      .select(['revoked_at', 'scope_job'])
      .where('id', '=', id)
      .executeTakeFirst()
    if (!row) throw new ForgeError('not-found', 'There is no such token.')
    if (row.revoked_at !== null) return
    const job = row.scope_job === null ? null : jobId.parse(row.scope_job)
    await this.#audit.append({ type: 'token-revoked', token: id, by, job }, now)
    await this.#end(id, now)
  }

  async #end(id: TokenId, now: number): Promise<void> {
    await this.#db
      .updateTable('tokens')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('revoked_at', 'is', null)
      .execute()
    await this.#db.deleteFrom('sessions').where('token', '=', id).execute()
  }

  /** Start-up: what the audit says of the last revocations holds, also if the process died in between. */
  async endRevoked(ids: readonly TokenId[]): Promise<void> {
    for (const id of ids) await this.#end(id, this.#now())
  }

  /** Ends every live token of the job. */
  async revokeOfJob(job: JobId): Promise<void> {
    const rows = await this.#db
      .selectFrom('tokens')
      .select('id')
      .where('scope_job', '=', job)
      .where('revoked_at', 'is', null)
      .execute()
    for (const { id } of rows) await this.revoke(tokenId.parse(id), null)
  }

  /** Whether anybody can still sign in: a personal token that was not revoked. */
  async hasPersonal(): Promise<boolean> {
    const row = await this.#db
      .selectFrom('tokens')
      .select('id')
      .where('kind', '=', 'personal')
      .where('revoked_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    return row !== undefined
  }
}
