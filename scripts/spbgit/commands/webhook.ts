/** `spbgit webhook`: other programs that hear what happens. */
import type { RepoName } from '../../../server/protocol/ids.ts'
import type {
  Delivery,
  DeliveryDetails,
  DeliveryId,
  WebhookEvent,
  WebhookId,
} from '../../../server/protocol/webhooks.ts'
import * as forges from '../forge/webhooks.ts'
import { readGivenFile } from '../given-file.ts'
import { type Session, signedIn } from '../session.ts'
import { cleanLine } from '../terminal/clean.ts'
import { table } from '../terminal/table.ts'

type Options = { json?: boolean }
type CreateOptions = Options & { repo?: RepoName; events?: WebhookEvent[]; secretFile?: string }

/** stdout gets the secret alone, so that a script can take it. */
export const create = async (
  session: Session,
  url: string,
  { json, repo, events, secretFile }: CreateOptions,
): Promise<void> => {
  const { output } = session
  const secret =
    secretFile === undefined ? undefined : (await readGivenFile(secretFile, '--secret-file')).trim()
  const made = await forges.createWebhook(await signedIn(session), {
    url,
    ...(repo && { repo }),
    ...(events && { events }),
    ...(secret !== undefined && { secret }),
  })
  if (json) return output.json(made)
  output.say(`Webhook ${made.id} hears of ${made.repo ?? 'every repository'}: ${made.events.join(', ')}.`)
  output.say('Its secret, which is not shown again:')
  output.line(made.secret)
}

export const list = async (
  session: Session,
  repo: RepoName | undefined,
  { json }: Options,
): Promise<void> => {
  const { output } = session
  const webhooks = await forges.listWebhooks(await signedIn(session), repo)
  if (json) return output.json(webhooks)
  if (webhooks.length === 0) return output.say('There are no webhooks. Make one: spbgit webhook create <url>')
  const rows = webhooks.map(({ id, repo, events, url }) => [
    String(id),
    repo ?? '(all)',
    events.join(','),
    url,
  ])
  for (const line of table(['ID', 'REPOSITORY', 'EVENTS', 'ADDRESS'], rows, output.columns)) output.line(line)
}

export const remove = async (session: Session, id: WebhookId, { json }: Options): Promise<void> => {
  await forges.deleteWebhook(await signedIn(session), id)
  if (json) session.output.json({ id, deleted: true })
  else session.output.line(`Webhook ${id} is deleted.`)
}

export const ping = async (session: Session, id: WebhookId, { json }: Options): Promise<void> => {
  const webhook = await forges.pingWebhook(await signedIn(session), id)
  if (json) session.output.json(webhook)
  else session.output.line(`A ping is on its way to ${webhook.url}. See: spbgit webhook deliveries ${id}`)
}

const row = ({ id, state, status, event, action, repo, createdAt }: Delivery): string[] => [
  String(id),
  state,
  status === null ? '-' : String(status),
  createdAt,
  action === null ? event : `${event} ${action}`,
  repo ?? '-',
]

const headings = ['ID', 'STATE', 'ANSWER', 'CREATED', 'EVENT', 'REPOSITORY']

export const deliveries = async (session: Session, id: WebhookId, { json }: Options): Promise<void> => {
  const { output } = session
  const latest = await forges.listDeliveries(await signedIn(session), id)
  if (json) return output.json(latest)
  if (latest.length === 0) return output.say('Nothing has been sent yet.')
  for (const line of table(headings, latest.map(row), output.columns)) output.line(line)
}

const describe = ({ attempts, payload, ...delivery }: DeliveryDetails): string[] => [
  `delivery  ${delivery.guid}`,
  `state     ${delivery.state}${delivery.nextAt === null ? '' : `, next try ${delivery.nextAt}`}`,
  ...attempts.map(({ number, at, ms, failure, response }) => {
    const outcome = failure ?? `answered ${response?.status}`
    return `attempt ${number}  ${at}, ${ms} ms: ${cleanLine(outcome)}`
  }),
  '',
  payload,
]

export const show = async (
  session: Session,
  id: WebhookId,
  delivery: DeliveryId,
  { json }: Options,
): Promise<void> => {
  const details = await forges.showDelivery(await signedIn(session), id, delivery)
  if (json) return session.output.json(details)
  for (const line of describe(details)) session.output.line(line)
}

export const redeliver = async (
  session: Session,
  id: WebhookId,
  delivery: DeliveryId,
  { json }: Options,
): Promise<void> => {
  const details = await forges.redeliver(await signedIn(session), id, delivery)
  if (json) session.output.json(details)
  else session.output.line(`Delivery ${delivery} is on its way once more.`)
}
