/** The forge behind the transport: tokens let in, repositories lie in one folder, the push policy decides. */
import type { IncomingMessage } from 'node:http'
import type { Identity } from '../identity/identity.ts'
import { ulid } from '../identity/ulid.ts'
import type { GitHost } from './host.ts'
import type { PushInProgress, PushPolicy } from './push.ts'
import { hiddenRefs, mayPush } from './push-access.ts'
import type { Repositories } from './repositories.ts'
import { parseRepo } from './route.ts'

type Parts = Readonly<{
  repositories: Repositories
  identify(request: IncomingMessage): Promise<Identity>
  pushes: PushPolicy
}>

export const openForgeHost = ({ repositories, identify, pushes }: Parts): GitHost => ({
  async fetch({ request, route }, serve) {
    // Reading is for everybody, but a token that is given must be good.
    await identify(request)
    await serve({ path: await repositories.get(parseRepo(route.name)), wants: null })
  },

  async push({ request, route }, serve) {
    const identity = await identify(request)
    const repo = parseRepo(route.name)
    const path = await repositories.get(repo)
    const pusher = mayPush(identity, repo)
    const push: PushInProgress = { id: ulid(Date.now()), repo, path, pusher }
    await serve({
      path,
      token: pusher.token,
      variables: { GIT_AUTH_PUSH_ID: push.id },
      config: hiddenRefs(pusher),
      decide: (updates, quarantine) => pushes.decide(push, updates, quarantine),
      record: (updates) => pushes.record(push, updates),
      settle: () => pushes.settle(push),
    })
  },
})
