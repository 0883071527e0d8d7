/** The page of tokens. */
import { z } from 'zod'
import { paths } from '../../views/paths.ts'
import { type TokensData, tokensPage } from '../../views/tokens.ts'
import type { Forge } from '../forge.ts'
import type { SignedInHandler } from '../http/access.ts'
import { type Context, pageOf, parseBody, parseParam, toPage } from '../http/context.ts'
import { flashOf, redirectDone } from '../http/flash.ts'
import { personOf } from '../http/viewer.ts'
import { tokenId } from '../protocol/ids.ts'
import type { Session } from './sessions.ts'

const render = async (
  { tokens, now }: Forge,
  ctx: Context,
  session: Session,
  created: TokensData['created'],
): Promise<void> => {
  const { after, limit } = pageOf(ctx, tokenId)
  const { items, next } = toPage(await tokens.listLive(after, limit + 1), limit, ({ id }) => id)
  ctx.type = 'html'
  ctx.body = tokensPage({
    viewer: personOf(session),
    flash: flashOf(ctx),
    now: now(),
    tokens: items,
    next,
    created,
  })
}

export const showTokens: SignedInHandler = (forge, ctx, session) => render(forge, ctx, session, null)

/** The answer to this form is the only page that shows the token. */
export const submitToken: SignedInHandler = async (forge, ctx, session) => {
  const { label } = parseBody(ctx, z.object({ label: z.string().trim().min(1).max(200) }))
  const { text } = await forge.tokens.create(label, { by: session.person.token })
  await render(forge, ctx, session, { label, token: text })
}

export const submitRevoke: SignedInHandler = async (forge, ctx, session) => {
  await forge.tokens.revoke(parseParam(ctx, 'id', tokenId), session.person.token)
  redirectDone(ctx, paths.tokens, 'revoked')
}
