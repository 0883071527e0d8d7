/** The pages of webhooks. */
import { z } from 'zod'
import { deliveryPage } from '../../views/delivery.ts'
import { paths } from '../../views/paths.ts'
import { webhookPage } from '../../views/webhook.ts'
import { type WebhooksData, webhooksPage } from '../../views/webhooks.ts'
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import type { SignedInHandler } from '../http/access.ts'
import { type Context, pageOf, parseBody, parseParam, repoOf, toPage } from '../http/context.ts'
import { flashOf, redirectDone } from '../http/flash.ts'
import { personOf } from '../http/viewer.ts'
import type { Session } from '../identity/sessions.ts'
import type { RepoName } from '../protocol/ids.ts'
import { createWebhook, deliveryIdText, webhookEvent, webhookIdText } from '../protocol/webhooks.ts'
import { addWebhook, getDelivery, getWebhook, pingWebhook, redeliver, removeWebhook } from './own-webhooks.ts'

const webhookOf = (ctx: Context) => parseParam(ctx, 'id', webhookIdText)
const deliveryOf = (ctx: Context) => parseParam(ctx, 'delivery', deliveryIdText)

const renderList = async (
  forge: Forge,
  ctx: Context,
  session: Session,
  { repo, draft, created }: Pick<WebhooksData, 'repo' | 'draft' | 'created'>,
): Promise<void> => {
  const { after, limit } = pageOf(ctx, webhookIdText)
  const rows = await forge.webhooks.store.list(repo, after, limit + 1)
  const { items: webhooks, next } = toPage(rows, limit, ({ id }) => String(id))
  const viewer = personOf(session)
  ctx.type = 'html'
  ctx.body = webhooksPage({
    viewer,
    flash: flashOf(ctx),
    now: forge.now(),
    repo,
    webhooks,
    next,
    draft,
    created,
  })
}

const existing = async ({ repositories }: Forge, ctx: Context): Promise<RepoName> => {
  const repo = repoOf(ctx)
  await repositories.get(repo)
  return repo
}

export const showWebhooks: SignedInHandler = (forge, ctx, session) =>
  renderList(forge, ctx, session, { repo: null, draft: null, created: null })

export const showWebhooksOfRepo: SignedInHandler = async (forge, ctx, session) =>
  renderList(forge, ctx, session, { repo: await existing(forge, ctx), draft: null, created: null })

/** One ticked box is a string, several are a list, none is nothing. */
const tickedEvents = z.preprocess(
  (value) => (typeof value === 'string' ? [value] : (value ?? [])),
  z.array(webhookEvent),
)

/** The answer to this form is the only page that shows the secret; what is refused comes back, to be put right. */
const submit = async (forge: Forge, ctx: Context, session: Session, repo: RepoName | null): Promise<void> => {
  const { url, events } = parseBody(ctx, z.object({ url: z.string(), events: tickedEvents }))
  const refuse = async (problem: string): Promise<void> => {
    ctx.status = 400
    await renderList(forge, ctx, session, { repo, draft: { url, events, problem }, created: null })
  }
  if (events.length === 0) return refuse('Choose at least one event that it shall hear of.')
  const wanted = createWebhook.safeParse({ url: url.trim(), events, ...(repo === null ? {} : { repo }) })
  if (!wanted.success) return refuse(`This is not ${wanted.error.issues[0]?.message ?? 'an address'}.`)
  try {
    const created = await addWebhook(forge, session.person, wanted.data)
    await renderList(forge, ctx, session, { repo, draft: null, created })
  } catch (error) {
    if (!(error instanceof ForgeError) || error.code !== 'bad-request') throw error
    await refuse(error.message)
  }
}

export const submitWebhook: SignedInHandler = (forge, ctx, session) => submit(forge, ctx, session, null)

export const submitWebhookOfRepo: SignedInHandler = async (forge, ctx, session) =>
  submit(forge, ctx, session, await existing(forge, ctx))

export const showWebhook: SignedInHandler = async (forge, ctx, session) => {
  const webhook = await getWebhook(forge, webhookOf(ctx))
  const { after, limit } = pageOf(ctx, deliveryIdText)
  const rows = await forge.webhooks.deliveries.list(webhook.id, after, limit + 1)
  const { items: deliveries, next } = toPage(rows, limit, ({ id }) => String(id))
  const viewer = personOf(session)
  ctx.type = 'html'
  ctx.body = webhookPage({ viewer, flash: flashOf(ctx), now: forge.now(), webhook, deliveries, next })
}

export const submitPing: SignedInHandler = async (forge, ctx, session) => {
  const id = webhookOf(ctx)
  await pingWebhook(forge, session.person, id)
  redirectDone(ctx, paths.webhook(id), 'pinged')
}

export const submitDeleteWebhook: SignedInHandler = async (forge, ctx, session) => {
  parseBody(ctx, z.object({ understood: z.literal('yes') }))
  const { repo } = await removeWebhook(forge, session.person, webhookOf(ctx))
  redirectDone(ctx, paths.webhooks(repo), 'webhook-deleted')
}

export const showDelivery: SignedInHandler = async (forge, ctx, session) => {
  const webhook = await getWebhook(forge, webhookOf(ctx))
  const delivery = await getDelivery(forge, webhook.id, deliveryOf(ctx))
  ctx.type = 'html'
  ctx.body = deliveryPage({ viewer: personOf(session), flash: flashOf(ctx), webhook, delivery })
}

export const submitRedelivery: SignedInHandler = async (forge, ctx) => {
  const webhook = webhookOf(ctx)
  const delivery = deliveryOf(ctx)
  await redeliver(forge, webhook, delivery)
  redirectDone(ctx, paths.delivery(webhook, delivery), 'redelivered')
}
