/** What ends a container before its time, as a signal. */
import { type ContainerNews, watchContainer } from '../engine/watch.ts'
import type { Attempt } from './attempt.ts'
import { AttemptFailure } from './attempt-failure.ts'
import type { Container } from './container.ts'

export type Trouble = Disposable & {
  /** Aborts with an AttemptFailure at the first want of memory, and when the container ends by itself. */
  readonly signal: AbortSignal
}

export const watchTrouble = async ({ runner }: Attempt, container: Container): Promise<Trouble> => {
  const watch = await watchContainer(runner.engine, container.id)
  const controller = new AbortController()
  void watch.first.then((news) => controller.abort(failureOf(news)))
  return { signal: controller.signal, [Symbol.dispose]: () => watch[Symbol.dispose]() }
}

const failureOf = (news: ContainerNews): AttemptFailure => {
  switch (news) {
    case 'out-of-memory':
      return new AttemptFailure('out-of-memory', 'The sandbox used all of its memory and was ended.')
    case 'died':
      return new AttemptFailure('engine-error', 'The container ended, and not by the runner.')
    case 'lost':
      return new AttemptFailure('engine-error', 'The container engine stopped telling what happens.')
  }
}
