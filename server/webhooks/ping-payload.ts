/** `ping`: shows a consumer that the address and the secret are right. Pure. */
import type { Webhook } from '../protocol/webhooks.ts'
import type { Payload } from './payload.ts'
import type { RepositoryShape, UserShape } from './shapes.ts'

/** GitHub masks the secret in the same way. */
const masked = '********'

export const pingPayload = (
  { id, url, events, createdAt }: Webhook,
  repository: RepositoryShape | null,
  sender: UserShape,
  publicUrl: string,
): Payload => {
  const self = `${publicUrl}/api/v1/webhooks/${id}`
  return {
    event: 'ping',
    action: null,
    body: {
      zen: 'What is reviewed is what is promoted.',
      hook_id: id,
      hook: {
        type: repository === null ? 'Organization' : 'Repository',
        id,
        name: 'web',
        active: true,
        events: [...events],
        config: { content_type: 'json', secret: masked, url, insecure_ssl: '0' },
        updated_at: createdAt,
        created_at: createdAt,
        url: self,
        ping_url: `${self}/pings`,
        deliveries_url: `${self}/deliveries`,
      },
      ...(repository === null ? {} : { repository }),
      sender,
    },
  }
}
