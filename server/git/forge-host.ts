/** The forge behind the transport: tokens let in, repositories lie in one folder, the push policy decides. */
import type { IncomingMessage } from 'node:http'
import type { Identity } from '../identity/identity.ts'
import { ulid } from '../identity/ulid.ts'
import type { OwnerHooks } from '../owner-hooks/owner-hooks.ts'
import type { GitHost } from './host.ts'
import type { PushInProgress, PushPolicy } from './push.ts'
import { hiddenRefs, mayPush } from './push-access.ts'
import type { Repositories } from './repositories.ts'
import { parseRepo } from './route.ts'

type Parts = Readonly<{
  repositories: Repositories
  identify: (request: IncomingMessage) => Promise<Identity>
  pushes: PushPolicy
  ownerHooks: OwnerHooks
}>

export const openForgeHost = ({ repositories, identify, pushes, ownerHooks }: Parts): GitHost => ({
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
    let options: readonly string[] = []
    await serve({
      path,
      token: pusher.token,
      variables: { GIT_AUTH_PUSH_ID: push.id },
      config: hiddenRefs(pusher),
      async decide(updates, quarantine, hearing) {
        options = hearing.call.options
        const answer = await pushes.decide(push, updates, quarantine)
        if (!answer.ok) return answer
        const trouble = await ownerHooks.mayMove({ ...hearing, push, options, quarantine })
        return trouble === null ? answer : { say: [`refused: ${trouble}`], ok: false }
      },
      async record(updates, hearing) {
        for (const line of await pushes.record(push, updates)) await hearing.say(line)
        await ownerHooks.haveMoved({ ...hearing, push, options, quarantine: null })
        return []
      },
      settle: (mayHaveMoved) => pushes.settle(push, mayHaveMoved),
    })
  },
})
