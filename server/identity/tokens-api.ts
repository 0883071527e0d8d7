/** `/api/v1/tokens` and `/api/v1/me`. */
import { ForgeError } from '../errors.ts'
import type { PersonHandler } from '../http/access.ts'
import { pageOf, parseBody, parseParam, toPage } from '../http/context.ts'
import { createToken } from '../protocol/api.ts'
import { tokenId } from '../protocol/ids.ts'
import { jobOfRef } from '../protocol/refs.ts'
import type { NewScope } from './token-store.ts'

export const getMe: PersonHandler = async (_forge, ctx, { token, label, person }) => {
  ctx.body = { tokenId: token, label, person }
}

export const listTokens: PersonHandler = async ({ tokens }, ctx) => {
  const { after, limit } = pageOf(ctx, tokenId)
  ctx.body = toPage(await tokens.list(after, limit + 1), limit, ({ id }) => id)
}

/** A scope names the refs of one job, and that job must be in that repository. */
export const postToken: PersonHandler = async ({ tokens, jobs }, ctx, person) => {
  const { label, scope: asked } = parseBody(ctx, createToken)
  let scope: NewScope | undefined
  if (asked) {
    const job = jobOfRef(asked.refs)
    if (job === null || !(await jobs.find(asked.repo, job))) {
      throw new ForgeError('not-found', `There is no job in ${asked.repo} whose refs are ${asked.refs}.`)
    }
    scope = { repo: asked.repo, job, expires: Date.parse(asked.expires) }
  }
  const { token, text } = await tokens.create(label, { ...(scope ? { scope } : {}), by: person.token })
  ctx.status = 201
  ctx.body = { ...token, token: text }
}

export const deleteToken: PersonHandler = async ({ tokens }, ctx, person) => {
  await tokens.revoke(parseParam(ctx, 'id', tokenId), person.token)
  ctx.status = 204
}
