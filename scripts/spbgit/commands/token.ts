/** `spbgit token create`, `list` and `revoke`. */
import type { Token } from '../../../server/protocol/api.ts'
import { type RepoName, type TokenId, toIso } from '../../../server/protocol/ids.ts'
import type { RefGlob } from '../../../server/protocol/refs.ts'
import { Failure } from '../failure.ts'
import { createToken, listTokens, revokeToken } from '../forge/api.ts'
import { type Session, signedIn } from '../session.ts'
import { table } from '../terminal/table.ts'

const defaultLifeMs = 60 * 60_000

type ScopeOptions = { repo?: RepoName; refs?: RefGlob; expires?: number }

/** The scope of a job's token; undefined: a personal token, which may do all that its person may. */
const scopeOf = ({ repo, refs, expires }: ScopeOptions) => {
  if (repo === undefined && refs === undefined && expires === undefined) return undefined
  if (repo === undefined || refs === undefined) {
    throw new Failure(
      'usage',
      'A job’s token needs both --repo and --refs. A personal token takes no option.',
    )
  }
  return { repo, refs, expires: toIso(Date.now() + (expires ?? defaultLifeMs)) }
}

/** stdout gets the token alone, so that a script can take it. */
export const create = async (
  session: Session,
  label: string,
  { json, ...asked }: ScopeOptions & { json?: boolean },
): Promise<void> => {
  const { output } = session
  const scope = scopeOf(asked)
  const made = await createToken(await signedIn(session), { label, ...(scope && { scope }) })
  if (json) return output.json(made)
  const may = made.scope
    ? `pushes ${made.scope.refs} of ${made.scope.repo} until ${made.scope.expires}`
    : 'may do all that you may'
  output.say(`Token ${made.id} ${may}. It is not shown again:`)
  output.line(made.token)
}

const stateOf = ({ scope, revokedAt }: Token, now: number): string => {
  if (revokedAt !== null) return 'revoked'
  return scope !== null && Date.parse(scope.expires) <= now ? 'expired' : 'valid'
}

const row =
  (now: number) =>
  (token: Token): string[] => [
    token.id,
    stateOf(token, now),
    token.scope === null ? 'everything' : `${token.scope.repo} ${token.scope.refs}`,
    token.scope?.expires ?? '-',
    token.label,
  ]

export const list = async (session: Session, { json }: { json?: boolean }): Promise<void> => {
  const { output } = session
  const tokens = await listTokens(await signedIn(session))
  if (json) return output.json(tokens)
  const rows = tokens.map(row(Date.now()))
  for (const line of table(['ID', 'STATE', 'MAY PUSH', 'UNTIL', 'LABEL'], rows, output.columns))
    output.line(line)
}

export const revoke = async (session: Session, id: TokenId, { json }: { json?: boolean }): Promise<void> => {
  await revokeToken(await signedIn(session), id)
  if (json) session.output.json({ id, revoked: true })
  else session.output.line(`Token ${id} is revoked.`)
}
