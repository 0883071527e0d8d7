/** What a handler gets: the request, parsed where it comes in. */
import type { ParameterizedContext } from 'koa'
import { z } from 'zod'
import { ForgeError, type Issue } from '../errors.ts'
import { type JobId, jobIdText, type RepoName, repoName } from '../protocol/ids.ts'

export type Context = ParameterizedContext

const issuesOf = (error: z.ZodError): Issue[] =>
  error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))

/** The body in the shape that is asked for. Throws `bad-request` with every issue. */
export const parseBody = <T extends z.ZodType>(ctx: Context, schema: T): z.infer<T> => {
  const result = schema.safeParse(ctx.request.body ?? {})
  if (result.success) return result.data
  throw new ForgeError('bad-request', 'The request does not have the right shape.', {
    issues: issuesOf(result.error),
  })
}

/** A part of the path. What is no name of anything is not found. */
export const parseParam = <T extends z.ZodType>(ctx: Context, name: string, schema: T): z.infer<T> => {
  const params = ctx['params'] as Readonly<Record<string, string | undefined>>
  const result = schema.safeParse(params[name])
  if (result.success) return result.data
  throw new ForgeError('not-found', 'There is nothing under this address.')
}

export const repoOf = (ctx: Context): RepoName => parseParam(ctx, 'name', repoName)
export const jobOf = (ctx: Context): JobId => parseParam(ctx, 'id', jobIdText)

const limitText = z.coerce.number().int().min(1).max(200)

/** `?after` and `?limit` of a list: 50 items, 200 at most. */
export const pageOf = <T extends z.ZodType>(
  ctx: Context,
  after: T,
): { after: z.infer<T> | null; limit: number } => {
  const result = z
    .object({ after: after.nullable().default(null), limit: limitText.default(50) })
    .safeParse({ after: ctx.query['after'] ?? null, limit: ctx.query['limit'] })
  if (result.success) return result.data as { after: z.infer<T> | null; limit: number }
  throw new ForgeError('bad-request', 'This page of the list cannot be read.', {
    issues: issuesOf(result.error),
  })
}

/** Cuts a list that was read with one item more than asked for, and says where the next page starts. */
export const toPage = <T>(items: readonly T[], limit: number, key: (item: T) => string) => {
  const shown = items.slice(0, limit)
  const last = shown.at(-1)
  return { items: shown, next: items.length > limit && last !== undefined ? key(last) : null }
}
