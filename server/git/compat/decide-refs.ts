/** A push as one event a ref: it moves only if each is accepted. */
import type { EventEmitter } from 'node:events'
import type { RefUpdate } from '../../../hooks/decide-push.ts'
import type { HookAnswer } from '../hook-line.ts'
import { askListeners, ListenerRefusal } from './ask-listeners.ts'
import { type GitEventOptions, PushEvent, TagEvent } from './git-event.ts'

const noObject = (update: RefUpdate): string => '0'.repeat((update.new ?? update.old ?? '').length || 40)

const eventFor = (update: RefUpdate, about: GitEventOptions): PushEvent | TagEvent => {
  const none = noObject(update)
  const options = { ...about, ref: update.ref, last: update.old ?? none, commit: update.new ?? none }
  return update.ref.startsWith('refs/tags/') ? new TagEvent(options) : new PushEvent(options)
}

export const openRefDecisions = (emitter: EventEmitter, about: GitEventOptions) => {
  const events: (PushEvent | TagEvent)[] = []
  const takeLines = (): string[] => events.flatMap((event) => event.takeLines())

  return {
    /** Asks about one ref after the other. The first no ends it. */
    async decide(updates: readonly RefUpdate[], over: AbortSignal): Promise<HookAnswer> {
      try {
        for (const update of updates) {
          const event = eventFor(update, about)
          events.push(event)
          await askListeners(emitter, event instanceof TagEvent ? 'tag' : 'push', event, over)
        }
        return { say: takeLines(), ok: true }
      } catch (error) {
        if (!(error instanceof ListenerRefusal)) throw error
        return { say: [...takeLines(), error.message], ok: false }
      }
    },

    /** What listeners have said since. */
    takeLines,

    /** Tells the listeners of each event that git has ended. */
    end: (): void => {
      for (const event of events) event.emit('exit')
    },
  }
}
