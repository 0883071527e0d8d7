/** A fetch: git's upload-pack, with packs that fetches share. */
import { shellWord } from '../protocol/shell-word.ts'
import { type GitChild, limitsFor } from './child.ts'
import { exchange } from './exchange.ts'
import { holdUntilWanted } from './first-want.ts'
import type { GitLimits } from './git-limits.ts'
import type { AdmittedFetch, GitRequest } from './host.ts'
import type { PackCache } from './pack-cache.ts'
import { answerPackHook } from './pack-line.ts'
import type { ProcessQueue } from './process-queue.ts'
import { startService } from './service-child.ts'

type Parts = Readonly<{
  queue: ProcessQueue
  limits: GitLimits
  hooks: string
  packs: PackCache | null
  onFault: (error: unknown) => void
}>

export const openUploadPack = ({ queue, limits, hooks, packs, onFault }: Parts) => {
  const plain = ({ request, route }: GitRequest, repo: string): Promise<GitChild> =>
    startService(queue, request, route, { repo, limits: limitsFor.serving })

  const sharing = ({ request, route }: GitRequest, repo: string): Promise<GitChild> =>
    startService(queue, request, route, {
      repo,
      limits: limitsFor.serving,
      // git hands it to a shell.
      config: [['uploadpack.packObjectsHook', shellWord(`${hooks}/pack-objects`)]],
      hooks: true,
    })

  return {
    /** The child that says what can be fetched. */
    advertise: plain,

    /** Answers one fetch to its end. Throws ForgeError while nothing has been answered. */
    async serve(asked: GitRequest, { path: repo, wants }: AdmittedFetch): Promise<void> {
      const { request, response, route } = asked
      const run = (child: GitChild): Promise<void> =>
        exchange(request, response, child, route.service, limits, wants && holdUntilWanted(wants))
      if (!packs || !(await packs.isFor(repo))) {
        await run(await plain(asked, repo))
        return
      }
      const child = await sharing(asked, repo)
      const { fromHook, toHook } = child
      const hookDone = fromHook && toHook && answerPackHook(fromHook, toHook, repo, packs).catch(onFault)
      try {
        await run(child)
      } finally {
        await child.ended
        await hookDone
      }
    },
  }
}
