/** A push: git's receive-pack, whose hooks ask the forge. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type GitChild, limitsFor } from './child.ts'
import { exchange } from './exchange.ts'
import type { GitLimits } from './git-limits.ts'
import { answerHooks, type HookAnswer, type HookCall } from './hook-line.ts'
import { inspectObjects, parseQuarantine } from './inspect-push.ts'
import type { ProcessQueue } from './process-queue.ts'
import type { PushInProgress, PushPolicy } from './push.ts'
import { hiddenRefs } from './push-access.ts'
import type { GitRoute } from './route.ts'
import { startService } from './service-child.ts'

type Parts = Readonly<{
  queue: ProcessQueue
  limits: GitLimits
  hooks: string
  pushes: PushPolicy
  onFault: (error: unknown) => void
}>

const no = (reason: string): HookAnswer => ({ say: [`refused: ${reason}`], ok: false })

export const openReceivePack = ({ queue, limits, hooks, pushes, onFault }: Parts) => {
  const start = (
    request: IncomingMessage,
    route: GitRoute,
    { id, path, pusher }: PushInProgress,
  ): Promise<GitChild> =>
    startService(queue, request, route, {
      repo: path,
      limits: limitsFor.receiving,
      config: [
        ['core.hooksPath', hooks],
        ['receive.maxInputSize', String(limits.packBytes)],
        ...hiddenRefs(pusher),
      ],
      variables: { GIT_AUTH_TOKEN_ID: pusher.token, GIT_AUTH_PUSH_ID: id },
      hooks: route.action === 'exchange',
    })

  const beforeRefsMove = async (
    push: PushInProgress,
    { quarantine: folder, updates }: HookCall,
  ): Promise<HookAnswer> => {
    if (updates.length > limits.refs) return no(`it moves more than ${limits.refs} refs.`)
    const quarantine = folder === null ? null : await parseQuarantine(push.path, folder)
    const tooLarge = quarantine ? await inspectObjects(quarantine, updates, limits) : null
    return tooLarge === null ? pushes.decide(push, updates, quarantine) : no(tooLarge)
  }

  const answerHook = async (push: PushInProgress, call: HookCall): Promise<HookAnswer> => {
    if (call.token !== push.pusher.token) return no('this push is not the one that was let in.')
    switch (call.hook) {
      case 'pre-receive':
        return beforeRefsMove(push, call)
      case 'post-receive':
        return { say: await pushes.record(push, call.updates), ok: true }
    }
  }

  return {
    /** The child that says which refs there are. */
    advertise: start,

    /** Answers one push to its end, and sees to it that what was begun is settled. */
    async serve(
      request: IncomingMessage,
      response: ServerResponse,
      route: GitRoute,
      push: PushInProgress,
    ): Promise<void> {
      const child = await start(request, route, push)
      const { fromHook, toHook } = child
      const hooksDone =
        fromHook && toHook && answerHooks(fromHook, toHook, (call) => answerHook(push, call)).catch(onFault)
      try {
        await exchange(request, response, child, route.service, limits)
      } finally {
        await child.ended
        await hooksDone
        await pushes.settle(push)
      }
    },
  }
}
