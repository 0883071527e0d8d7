/** git's two services as children that wait for their turn. */
import type { IncomingMessage } from 'node:http'
import { protocolOf } from './advertise.ts'
import { type GitChild, type SpawnOptions, spawnGit } from './child.ts'
import type { ProcessQueue } from './process-queue.ts'
import type { GitRoute } from './route.ts'

/** Starts upload-pack or receive-pack when there is room for it. Throws ForgeError 429 when there is none for long. */
export const startService = async (
  queue: ProcessQueue,
  request: IncomingMessage,
  { service, action }: GitRoute,
  options: SpawnOptions,
): Promise<GitChild> => {
  const leave = await queue.enter(options.repo)
  try {
    const advertise = action === 'advertise' ? ['--http-backend-info-refs'] : []
    const variables = { ...protocolOf(request), ...options.variables }
    // Named as safe.directory names it: some versions of git compare the two as they are.
    const child = spawnGit([service, '--stateless-rpc', ...advertise, options.repo], {
      ...options,
      variables,
    })
    void child.ended.then(leave)
    return child
  } catch (error) {
    leave()
    throw error
  }
}
