/** The URLs that pages link and post to. Names and numbers are parsed before they come here. */
import type { AttemptNumber, JobId, RepoName, TokenId } from '../server/protocol/ids.ts'
import type { DeliveryId, WebhookId } from '../server/protocol/webhooks.ts'

const repo = (name: RepoName): string => `/repos/${name}`
const job = (name: RepoName, id: JobId): string => `/repos/${name}/jobs/${id}`
const webhook = (id: WebhookId): string => `/webhooks/${id}`
const delivery = (hook: WebhookId, id: DeliveryId): string => `${webhook(hook)}/deliveries/${id}`

export const paths = {
  home: '/',
  signIn: '/sign-in',
  /** Sign-in that comes back to where the person was. */
  signInFrom: (path: string): string => `/sign-in?next=${encodeURIComponent(path)}`,
  signOut: '/sign-out',
  repos: '/repos',
  repo,
  deleteRepo: (name: RepoName): string => `${repo(name)}/delete`,
  jobs: (name: RepoName): string => `${repo(name)}/jobs`,
  job,
  cancel: (name: RepoName, id: JobId): string => `${job(name, id)}/cancel`,
  approve: (name: RepoName, id: JobId): string => `${job(name, id)}/approve`,
  reject: (name: RepoName, id: JobId): string => `${job(name, id)}/reject`,
  deleteRefs: (name: RepoName, id: JobId): string => `${job(name, id)}/delete-refs`,
  salvaged: (name: RepoName, id: JobId, attempt: AttemptNumber): string =>
    `${job(name, id)}/salvaged/${attempt}`,
  events: (name: RepoName, id: JobId): string => `/api/v1/repos/${name}/agent-jobs/${id}/events`,
  /** null: of the whole forge. */
  webhooks: (name: RepoName | null): string => (name === null ? '/webhooks' : `${repo(name)}/webhooks`),
  webhook,
  pingWebhook: (id: WebhookId): string => `${webhook(id)}/ping`,
  deleteWebhook: (id: WebhookId): string => `${webhook(id)}/delete`,
  delivery,
  redeliver: (hook: WebhookId, id: DeliveryId): string => `${delivery(hook, id)}/redeliver`,
  tokens: '/tokens',
  revoke: (id: TokenId): string => `/tokens/${id}/revoke`,
  audit: '/audit',
  asset: (file: string): string => `/assets/${file}`,
} as const
