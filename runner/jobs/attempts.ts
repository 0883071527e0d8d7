/** The attempts that this runner knows: at work, or ended and not yet acknowledged. */
import { isDeepStrictEqual } from 'node:util'
import type { AttemptNumber, JobId } from '../../server/protocol/ids.ts'
import type { AttemptSpec } from '../../server/protocol/runner.ts'
import type { Runner } from '../runner.ts'
import { AttemptFailure } from './attempt-failure.ts'
import { type AttemptFolder, attemptFolder, loadFolders, removeFolder, saveSpec } from './attempt-folder.ts'
import { attemptMs, startClock } from './clock.ts'
import { type CourierTokens, createCourierTokens } from './courier-tokens.ts'
import { type EventFile, openEventFile } from './event-file.ts'
import { runAttempt } from './run-attempt.ts'

export type AttemptKey = { readonly job: JobId; readonly attempt: AttemptNumber }

export type KnownAttempt = {
  readonly spec: AttemptSpec
  readonly folder: AttemptFolder
  readonly events: EventFile
  readonly tokens: CourierTokens
  /** Ends it at once. Does nothing when it has ended. */
  readonly stop: (why: AttemptFailure) => void
  /** Resolves when `ended` is written. Never rejects. */
  readonly done: Promise<void>
}

export type Attempts = {
  readonly find: (key: AttemptKey) => KnownAttempt | undefined
  readonly active: () => AttemptKey[]
  /** `known`: it was taken before. `conflict`: another one was, under this number. */
  readonly take: (spec: AttemptSpec) => 'taken' | 'known' | 'conflict'
  /** Forgets an attempt that has ended. False where it has not. */
  readonly forget: (key: AttemptKey) => Promise<boolean>
  /** Ends all that is at work, and resolves when it has ended. */
  readonly stop: () => Promise<void>
}

const nameOf = ({ job, attempt }: AttemptKey): string => `${job}-${attempt}`

/**
 * Opens the attempts of the data folder. What has no end there was at work when an earlier run of this
 * runner died: it ends here, as lost. The caller has removed its containers.
 */
export const openAttempts = async (runner: Runner, dataDir: string): Promise<Attempts> => {
  const known = new Map<string, KnownAttempt>()
  for (const { folder, spec } of await loadFolders(dataDir)) known.set(nameOf(spec), reopen(folder, spec))

  return {
    find: (key) => known.get(nameOf(key)),

    active: () =>
      [...known.values()]
        .filter(({ events }) => !events.hasEnded())
        .map(({ spec: { job, attempt } }) => ({ job, attempt })),

    // Without a pause in it, so that no two requests take one number.
    take: (spec) => {
      const before = known.get(nameOf(spec))
      if (before !== undefined) return isDeepStrictEqual(before.spec, spec) ? 'known' : 'conflict'
      const folder = attemptFolder(dataDir, nameOf(spec))
      saveSpec(folder, spec)
      known.set(nameOf(spec), begin(runner, folder, spec))
      return 'taken'
    },

    forget: async (key) => {
      const attempt = known.get(nameOf(key))
      if (attempt === undefined) return true
      if (!attempt.events.hasEnded()) return false
      known.delete(nameOf(key))
      attempt.events.close()
      await removeFolder(attempt.folder)
      return true
    },

    stop: async () => {
      const why = new AttemptFailure('runner-lost', 'The runner was stopped.')
      for (const attempt of known.values()) attempt.stop(why)
      await Promise.all([...known.values()].map(({ done }) => done))
    },
  }
}

const begin = (runner: Runner, folder: AttemptFolder, spec: AttemptSpec): KnownAttempt => {
  const events = openEventFile(folder.events, Date.now)
  const tokens = createCourierTokens()
  const stopper = new AbortController()
  const run = async (): Promise<void> => {
    using clock = startClock(attemptMs(spec), deadline)
    await runAttempt({
      runner,
      spec,
      folder,
      events,
      tokens,
      logBudget: { left: spec.limits.logBytes },
      signal: AbortSignal.any([stopper.signal, clock.signal]),
      used: { cpuMs: 0, peakBytes: 0, diskBytes: 0 },
    })
  }
  const done = run().catch((error: unknown) => {
    runner.log.error(
      { err: error, job: spec.job, attempt: spec.attempt },
      'the end of an attempt could not be written',
    )
  })
  return { spec, folder, events, tokens, stop: (why) => stopper.abort(why), done }
}

const deadline = new AttemptFailure('deadline', 'The attempt did not end in its time.')

const reopen = (folder: AttemptFolder, spec: AttemptSpec): KnownAttempt => {
  const events = openEventFile(folder.events, Date.now)
  if (!events.hasEnded())
    events.append({ type: 'ended', outcome: 'failed', reason: 'runner-lost', used: unknownUsage })
  return { spec, folder, events, tokens: createCourierTokens(), stop: () => {}, done: Promise.resolve() }
}

const unknownUsage = { wallMs: 0, cpuMs: 0, peakBytes: 0, diskBytes: 0 }
