/** A push: git's receive-pack, whose hooks ask the host. */
import { type GitChild, limitsFor } from './child.ts'
import { exchange } from './exchange.ts'
import type { GitLimits } from './git-limits.ts'
import { answerHooks, type HookAnswer, type HookCall } from './hook-line.ts'
import type { AdmittedPush, GitRequest, Hearing } from './host.ts'
import { inspectObjects, parseQuarantine } from './inspect-push.ts'
import type { ProcessQueue } from './process-queue.ts'
import { startService } from './service-child.ts'

type Parts = Readonly<{
  queue: ProcessQueue
  limits: GitLimits
  hooks: string
  onFault: (error: unknown) => void
}>

const no = (reason: string): HookAnswer => ({ say: [`refused: ${reason}`], ok: false })

export const openReceivePack = ({ queue, limits, hooks, onFault }: Parts) => {
  const start = (
    { request, route }: GitRequest,
    { path, token, variables, config }: AdmittedPush,
  ): Promise<GitChild> =>
    startService(queue, request, route, {
      repo: path,
      limits: limitsFor.receiving,
      config: [['core.hooksPath', hooks], ['receive.maxInputSize', String(limits.packBytes)], ...config],
      variables: { ...variables, GIT_AUTH_TOKEN_ID: token },
      hooks: route.action === 'exchange',
    })

  const beforeRefsMove = async (push: AdmittedPush, hearing: Hearing): Promise<HookAnswer> => {
    const { quarantine: folder, updates } = hearing.call
    if (updates.length > limits.refs) return no(`it moves more than ${limits.refs} refs.`)
    const quarantine = folder === null ? null : await parseQuarantine(push.path, folder)
    const tooLarge = quarantine ? await inspectObjects(quarantine, updates, limits) : null
    return tooLarge === null ? push.decide(updates, quarantine, hearing) : no(tooLarge)
  }

  const answerHook = async (push: AdmittedPush, hearing: Hearing): Promise<HookAnswer> => {
    const { hook, token, updates } = hearing.call
    if (token !== push.token) return no('this push is not the one that was let in.')
    switch (hook) {
      case 'pre-receive':
        return beforeRefsMove(push, hearing)
      case 'post-receive':
        return { say: await push.record(updates, hearing), ok: true }
    }
  }

  return {
    /** The child that says which refs there are. */
    advertise: start,

    /** Answers one push to its end, and sees to it that what was begun is settled. */
    async serve(asked: GitRequest, push: AdmittedPush): Promise<void> {
      const { request, response, route } = asked
      const child = await start(asked, push)
      const { fromHook, toHook } = child
      const end = new AbortController()
      const { signal: over } = end
      void child.ended.finally(() => end.abort())
      // git runs post-receive when a ref has moved, and only then.
      let mayHaveMoved = false
      const answer = (call: HookCall, say: Hearing['say']): Promise<HookAnswer> => {
        if (call.hook === 'post-receive') mayHaveMoved = true
        return answerHook(push, { call, say, over })
      }
      const hooksDone =
        fromHook &&
        toHook &&
        answerHooks(fromHook, toHook, answer).catch((error: unknown) => {
          mayHaveMoved = true
          onFault(error)
        })
      try {
        await exchange(request, response, child, route.service, limits)
      } finally {
        const exit = await child.ended
        await hooksDone
        await push.settle(mayHaveMoved || exit !== 0)
      }
    },
  }
}
