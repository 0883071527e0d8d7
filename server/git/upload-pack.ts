/** A fetch: git's upload-pack, with packs that fetches share. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type GitChild, limitsFor } from './child.ts'
import { exchange } from './exchange.ts'
import type { GitLimits } from './git-limits.ts'
import type { PackCache } from './pack-cache.ts'
import { answerPackHook } from './pack-line.ts'
import type { ProcessQueue } from './process-queue.ts'
import type { GitRoute } from './route.ts'
import { startService } from './service-child.ts'

type Parts = Readonly<{
  queue: ProcessQueue
  limits: GitLimits
  hooks: string
  packs: PackCache | null
  onFault: (error: unknown) => void
}>

/** git hands the hook's name to a shell. */
const shellWord = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

export const openUploadPack = ({ queue, limits, hooks, packs, onFault }: Parts) => {
  const plain = (request: IncomingMessage, route: GitRoute, repo: string): Promise<GitChild> =>
    startService(queue, request, route, { repo, limits: limitsFor.serving })

  const sharing = (request: IncomingMessage, route: GitRoute, repo: string): Promise<GitChild> =>
    startService(queue, request, route, {
      repo,
      limits: limitsFor.serving,
      config: [['uploadpack.packObjectsHook', shellWord(`${hooks}/pack-objects`)]],
      hooks: true,
    })

  return {
    /** The child that says what can be fetched. */
    advertise: plain,

    /** Answers one fetch to its end. Throws ForgeError while nothing has been answered. */
    async serve(
      request: IncomingMessage,
      response: ServerResponse,
      route: GitRoute,
      repo: string,
    ): Promise<void> {
      if (!packs || !(await packs.isFor(repo))) {
        await exchange(request, response, await plain(request, route, repo), route.service, limits)
        return
      }
      const child = await sharing(request, route, repo)
      const { fromHook, toHook } = child
      const hookDone = fromHook && toHook && answerPackHook(fromHook, toHook, repo, packs).catch(onFault)
      try {
        await exchange(request, response, child, route.service, limits)
      } finally {
        await child.ended
        await hookDone
      }
    },
  }
}
