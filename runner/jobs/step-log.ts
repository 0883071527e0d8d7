/** What the programs of one step print, as events within the log's budget. */
import type { Step } from '../../server/protocol/runner.ts'
import type { Output } from '../engine/demultiplex.ts'
import type { EventFile } from './event-file.ts'
import { createLogText } from './log-text.ts'

/** How many bytes of log events an attempt may still write. */
export type LogBudget = { left: number }

export type StepLog = Disposable & {
  readonly write: (output: Output) => void
  /** A line of the runner's own. */
  readonly say: (sentence: string) => void
}

/** UTF-16 units; an event holds this much whatever the letters are. */
const mostSaid = 2500

/** So that a prompt without a line's end is seen soon, and a flood of short writes is few events. */
const flushMs = 100

/** Once the budget is used up, bytes are counted and dropped; the count is an event when the log is disposed. */
export const openStepLog = (events: EventFile, step: Step, budget: LogBudget): StepLog => {
  const texts = { out: createLogText(), err: createLogText() }
  let dropped = 0
  let timer: NodeJS.Timeout | undefined
  let fault: unknown

  const emit = (stream: Output['stream'], pieces: readonly string[]): void => {
    for (const text of pieces) {
      if (budget.left > 0) budget.left -= events.append({ type: 'log', step, stream, text })
      else dropped += Buffer.byteLength(text)
    }
  }
  const flush = (): void => {
    timer = undefined
    emit('out', texts.out.flush())
    emit('err', texts.err.flush())
  }

  // A full disk must end this attempt, whose next write throws, and not the runner with all its attempts.
  const flushLater = (): void => {
    try {
      flush()
    } catch (error) {
      fault = error
    }
  }

  return {
    write: ({ stream, bytes }) => {
      if (fault !== undefined) throw fault
      if (budget.left <= 0) {
        dropped += bytes.length
        return
      }
      emit(stream, texts[stream].add(bytes))
      timer ??= setTimeout(flushLater, flushMs)
    },
    // Not from the budget: what the runner says explains the end, and it says little.
    say: (sentence) => {
      flush()
      events.append({ type: 'log', step, stream: 'err', text: `${sentence.slice(0, mostSaid)}\n` })
    },
    [Symbol.dispose]: () => {
      clearTimeout(timer)
      emit('out', texts.out.end())
      emit('err', texts.err.end())
      if (dropped > 0) events.append({ type: 'dropped', step, bytes: dropped })
    },
  }
}
