/** What the engine says about one container while it runs. */
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { callEngine } from './call.ts'
import type { Engine } from './engine.ts'

/** `out-of-memory`: the kernel ended a program for want of memory. `died`: the container ended. `lost`: no news any more. */
export type ContainerNews = 'out-of-memory' | 'died' | 'lost'

export type Watch = Disposable & {
  /** The first news. Never rejects, and stays open where there is none. */
  readonly first: Promise<ContainerNews>
}

const event = z.object({ Action: z.string() })

/**
 * Watches a container by the engine's event stream: only there is it seen that memory ran out in an exec
 * (the container's own flag tells of PID 1 alone). Resolves when the engine has begun to send.
 */
export const watchContainer = async (engine: Engine, id: string): Promise<Watch> => {
  const hangUp = new AbortController()
  const stream = await callEngine(
    'send its events',
    (): Promise<NodeJS.ReadableStream> =>
      engine.getEvents({
        filters: { type: ['container'], container: [id], event: ['oom', 'die'] },
        abortSignal: hangUp.signal,
      }),
  )
  stream.on('error', () => {})
  const first = readNews(stream as Readable)
  return { first, [Symbol.dispose]: () => hangUp.abort() }
}

const readNews = async (stream: Readable): Promise<ContainerNews> => {
  try {
    for await (const line of readLines(stream)) {
      const { Action } = event.parse(JSON.parse(line))
      if (Action === 'oom') return 'out-of-memory'
      if (Action === 'die') return 'died'
    }
    return 'lost'
  } catch {
    return 'lost'
  }
}

/** Far more than an event with a few labels takes. */
const longestLine = 256 * 1024

async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let held = ''
  for await (const bytes of stream) {
    const lines = (held + bytes.toString()).split('\n')
    held = lines.pop() ?? ''
    if (held.length > longestLine) throw new Error('The engine sent an endless line.')
    yield* lines.filter((line) => line !== '')
  }
}
