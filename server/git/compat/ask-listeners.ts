/** Asks the listeners of an event, one of whom has to accept or reject. */
import type { EventEmitter } from 'node:events'
import { ForgeError } from '../../errors.ts'
import { answerWithin } from './answer-within.ts'
import type { GitEvent } from './git-event.ts'

/** A listener's no, with the status that it chose. */
export class ListenerRefusal extends ForgeError {
  override readonly status: number

  constructor(status: number, message: string) {
    super('forbidden', message)
    this.status = status
  }
}

/**
 * Resolves when the first listener that decides accepts, or when there is none. Throws ListenerRefusal when it
 * rejects, ForgeError when nobody decides in time, and whatever a listener throws. `over`: nobody waits any more.
 */
export const askListeners = async (
  emitter: EventEmitter,
  name: 'info' | 'head' | 'fetch' | 'push' | 'tag',
  event: GitEvent,
  over?: AbortSignal,
): Promise<void> => {
  if (!emitter.emit(name, event)) event.accept()
  const verdict = await answerWithin(event.verdict, over)
  if (!verdict.accept) throw new ListenerRefusal(verdict.status, verdict.message)
}
