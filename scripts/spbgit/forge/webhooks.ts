/** The parts of the forge's API about webhooks. */
import { listOf } from '../../../server/protocol/api.ts'
import type { RepoName } from '../../../server/protocol/ids.ts'
import * as shapes from '../../../server/protocol/webhooks.ts'
import type { Forge } from './address.ts'
import { listAll } from './api.ts'
import { ask, tell } from './ask.ts'

const webhooksPath = '/api/v1/webhooks'
const webhookPath = (id: shapes.WebhookId): string => `${webhooksPath}/${id}`
const deliveryPath = (id: shapes.WebhookId, delivery: shapes.DeliveryId): string =>
  `${webhookPath(id)}/deliveries/${delivery}`

/** Those of a repository, or every one. */
export const listWebhooks = (forge: Forge, repo: RepoName | undefined) =>
  listAll(forge, repo === undefined ? webhooksPath : `/api/v1/repos/${repo}/webhooks`, shapes.webhook)

export const createWebhook = (
  forge: Forge,
  wanted: { url: string; repo?: RepoName; events?: readonly shapes.WebhookEvent[]; secret?: string },
) => ask(forge, shapes.createdWebhook, 'POST', webhooksPath, wanted)

export const deleteWebhook = (forge: Forge, id: shapes.WebhookId) => tell(forge, 'DELETE', webhookPath(id))

export const pingWebhook = (forge: Forge, id: shapes.WebhookId) =>
  ask(forge, shapes.webhook, 'POST', `${webhookPath(id)}/pings`)

const latest = 50

/** The latest ones, newest first. */
export const listDeliveries = async (forge: Forge, id: shapes.WebhookId) =>
  (await ask(forge, listOf(shapes.delivery), 'GET', `${webhookPath(id)}/deliveries?limit=${latest}`)).items

export const showDelivery = (forge: Forge, id: shapes.WebhookId, delivery: shapes.DeliveryId) =>
  ask(forge, shapes.deliveryDetails, 'GET', deliveryPath(id, delivery))

export const redeliver = (forge: Forge, id: shapes.WebhookId, delivery: shapes.DeliveryId) =>
  ask(forge, shapes.deliveryDetails, 'POST', `${deliveryPath(id, delivery)}/redeliver`)
