/** `/api/v1/webhooks`. */
import type { Forge } from '../forge.ts'
import type { PersonHandler } from '../http/access.ts'
import { type Context, pageOf, parseBody, parseParam, repoOf, toPage } from '../http/context.ts'
import type { RepoName } from '../protocol/ids.ts'
import { createWebhook, deliveryIdText, webhookIdText } from '../protocol/webhooks.ts'
import { addWebhook, getDelivery, getWebhook, pingWebhook, redeliver, removeWebhook } from './own-webhooks.ts'

const webhookOf = (ctx: Context) => parseParam(ctx, 'id', webhookIdText)
const deliveryOf = (ctx: Context) => parseParam(ctx, 'delivery', deliveryIdText)

const list = async ({ webhooks }: Forge, ctx: Context, repo: RepoName | null): Promise<void> => {
  const { after, limit } = pageOf(ctx, webhookIdText)
  ctx.body = toPage(await webhooks.store.list(repo, after, limit + 1), limit, ({ id }) => String(id))
}

/** Every webhook, also those of repositories. */
export const listWebhooks: PersonHandler = (forge, ctx) => list(forge, ctx, null)

export const listWebhooksOfRepo: PersonHandler = async (forge, ctx) => {
  const repo = repoOf(ctx)
  await forge.repositories.get(repo)
  await list(forge, ctx, repo)
}

export const postWebhook: PersonHandler = async (forge, ctx, person) => {
  const { webhook, secret } = await addWebhook(forge, person, parseBody(ctx, createWebhook))
  ctx.status = 201
  ctx.body = { ...webhook, secret }
}

export const showWebhook: PersonHandler = async (forge, ctx) => {
  ctx.body = await getWebhook(forge, webhookOf(ctx))
}

export const deleteWebhook: PersonHandler = async (forge, ctx, person) => {
  await removeWebhook(forge, person, webhookOf(ctx))
  ctx.status = 204
}

export const postPing: PersonHandler = async (forge, ctx, person) => {
  const id = webhookOf(ctx)
  await pingWebhook(forge, person, id)
  ctx.status = 202
  ctx.body = await getWebhook(forge, id)
}

/** Newest first. */
export const listDeliveries: PersonHandler = async (forge, ctx) => {
  const { id } = await getWebhook(forge, webhookOf(ctx))
  const { after, limit } = pageOf(ctx, deliveryIdText)
  const rows = await forge.webhooks.deliveries.list(id, after, limit + 1)
  ctx.body = toPage(rows, limit, (row) => String(row.id))
}

export const showDelivery: PersonHandler = async (forge, ctx) => {
  ctx.body = await getDelivery(forge, webhookOf(ctx), deliveryOf(ctx))
}

export const postRedelivery: PersonHandler = async (forge, ctx) => {
  await redeliver(forge, webhookOf(ctx), deliveryOf(ctx))
  ctx.status = 202
  ctx.body = await getDelivery(forge, webhookOf(ctx), deliveryOf(ctx))
}
