/** `/api/v1/repos`. */

import type { PersonHandler, PublicHandler } from '../http/access.ts'
import { pageOf, parseBody, repoOf } from '../http/context.ts'
import { createRepo } from '../protocol/api.ts'
import { repoName } from '../protocol/ids.ts'
import { describeRepo, readRepos } from './describe-repo.ts'
import { addRepo, removeRepo } from './own-repos.ts'

/** By name, from the one after `?after`. */
export const listRepos: PublicHandler = async (forge, ctx) => {
  const { after, limit } = pageOf(ctx, repoName)
  ctx.body = await readRepos(forge, after, limit)
}

export const getRepo: PublicHandler = async (forge, ctx) => {
  ctx.body = await describeRepo(forge, repoOf(ctx))
}

export const postRepo: PersonHandler = async (forge, ctx, person) => {
  const { name } = parseBody(ctx, createRepo)
  await addRepo(forge, person, name)
  ctx.status = 201
  ctx.body = await describeRepo(forge, name)
}

export const deleteRepo: PersonHandler = async (forge, ctx, person) => {
  await removeRepo(forge, person, repoOf(ctx))
  ctx.status = 204
}
