/** The arguments and help of `spbgit webhook`. */
import { type Command, InvalidArgumentError } from 'commander'
import { type RepoName, repoName } from '../../../server/protocol/ids.ts'
import {
  type DeliveryId,
  deliveryIdText,
  type WebhookEvent,
  type WebhookId,
  webhookEvent,
  webhookIdText,
  webhookUrl,
} from '../../../server/protocol/webhooks.ts'
import { create, deliveries, list, ping, redeliver, remove, show } from '../commands/webhook.ts'
import type { Session } from '../session.ts'
import { parsedBy } from './arguments.ts'
import { examples, json } from './common.ts'

const parseEvents = (text: string): WebhookEvent[] =>
  text.split(',').map((name) => {
    const event = webhookEvent.safeParse(name.trim())
    if (event.success) return event.data
    throw new InvalidArgumentError(`events are ${webhookEvent.options.join(', ')}.`)
  })

const webhookArgument = ['<id>', 'the number of the webhook', parsedBy(webhookIdText)] as const
const deliveryArgument = ['<delivery>', 'the number of the delivery', parsedBy(deliveryIdText)] as const

const addOwn = (webhook: Command, session: Session): void => {
  webhook
    .command('create')
    .description('let a program hear what happens; prints the secret that its requests are signed with')
    .argument('<url>', 'where to send events', parsedBy(webhookUrl))
    .option('--repo <repo>', 'hear of this repository alone', parsedBy(repoName))
    .option('--events <names>', 'push, create, delete, pull_request, with commas (default: all)', parseEvents)
    .option('--secret-file <file>', 'read the secret from a file instead of letting the forge make one')
    .option(...json)
    .addHelpText(
      'after',
      examples(
        'spbgit webhook create https://ci.example.org/hook --repo website --events push',
        'spbgit webhook create https://chat.example.org/in/T0 --secret-file hook-secret',
      ),
    )
    .action((url: string, options: Parameters<typeof create>[2]) => create(session, url, options))
  webhook
    .command('list')
    .description('list the webhooks of a repository, or all')
    .argument('[repo]', 'the repository', parsedBy(repoName))
    .option(...json)
    .addHelpText('after', examples('spbgit webhook list', 'spbgit webhook list website'))
    .action((repo: RepoName | undefined, options: { json?: boolean }) => list(session, repo, options))
  webhook
    .command('delete')
    .description('delete a webhook, with what waits for it')
    .argument(...webhookArgument)
    .option(...json)
    .addHelpText('after', examples('spbgit webhook delete 3'))
    .action((id: WebhookId, options: { json?: boolean }) => remove(session, id, options))
  webhook
    .command('ping')
    .description('send it a ping')
    .argument(...webhookArgument)
    .option(...json)
    .addHelpText('after', examples('spbgit webhook ping 3'))
    .action((id: WebhookId, options: { json?: boolean }) => ping(session, id, options))
}

const addDeliveries = (webhook: Command, session: Session): void => {
  webhook
    .command('deliveries')
    .description('list what it was sent lately, newest first')
    .argument(...webhookArgument)
    .option(...json)
    .addHelpText('after', examples('spbgit webhook deliveries 3'))
    .action((id: WebhookId, options: { json?: boolean }) => deliveries(session, id, options))
  webhook
    .command('show')
    .description('show a delivery: each attempt, and the payload')
    .argument(...webhookArgument)
    .argument(...deliveryArgument)
    .option(...json)
    .addHelpText('after', examples('spbgit webhook show 3 128', 'spbgit webhook show 3 128 --json'))
    .action((id: WebhookId, delivery: DeliveryId, options: { json?: boolean }) =>
      show(session, id, delivery, options),
    )
  webhook
    .command('redeliver')
    .description('send a delivery again, under the same X-GitHub-Delivery')
    .argument(...webhookArgument)
    .argument(...deliveryArgument)
    .option(...json)
    .addHelpText('after', examples('spbgit webhook redeliver 3 128'))
    .action((id: WebhookId, delivery: DeliveryId, options: { json?: boolean }) =>
      redeliver(session, id, delivery, options),
    )
}

export const addWebhook = (program: Command, session: Session): void => {
  const webhook = program.command('webhook').description('let other programs hear what happens')
  addOwn(webhook, session)
  addDeliveries(webhook, session)
}
