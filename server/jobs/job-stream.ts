/** A job's events as server-sent events: what has been, then what comes, from the database alone. */
import { Readable } from 'node:stream'
import type { Forge } from '../forge.ts'
import type { PersonHandler } from '../http/access.ts'
import { jobOf, repoOf } from '../http/context.ts'
import type { Person } from '../identity/identity.ts'
import type { JobId, RepoName } from '../protocol/ids.ts'
import { isActive } from '../protocol/jobs.ts'
import { getJob } from './decisions.ts'
import type { EventPlace } from './job-rows.ts'

const batch = 500
const heartbeatMs = 15_000

/** `<attempt>.<seq>`, as the last event that the client has seen carried it; anything else is the beginning. */
const parsePlace = (text: string): EventPlace => {
  const [, attempt, seq] = /^(\d{1,5})\.(\d{1,9})$/.exec(text) ?? []
  return attempt && seq ? { attempt: Number(attempt), seq: Number(seq) } : { attempt: 0, seq: 0 }
}

/** Wakes a reader at each change, also at one that came while it was busy. */
const openBell = () => {
  let rung = false
  let wake: () => void = () => undefined
  return {
    ring: (): void => {
      rung = true
      wake()
    },
    /** True at a change, false after the heartbeat's time. */
    wait: (): Promise<boolean> =>
      new Promise((resolve) => {
        const timer = setTimeout(() => done(false), heartbeatMs)
        const done = (changed: boolean): void => {
          clearTimeout(timer)
          wake = () => undefined
          rung = false
          resolve(changed)
        }
        wake = () => done(true)
        if (rung) done(true)
      }),
  }
}

async function* messages(
  forge: Forge,
  { token }: Person,
  { repo, id, from }: { repo: RepoName; id: JobId; from: EventPlace },
): AsyncGenerator<string> {
  const bell = openBell()
  const stop = forge.feed.watch(id, bell.ring)
  try {
    let place = from
    let told = ''
    // A token that was revoked meanwhile sees no more.
    while (await forge.tokens.isLive(token)) {
      // The state is read before the events, so that a final state is told only after all that led to it.
      const job = await getJob(forge, repo, id)
      const events = await forge.jobs.eventsAfter(id, place, batch)
      for (const { attempt, event } of events) {
        place = { attempt, seq: event.seq }
        yield `event: job\nid: ${attempt}.${event.seq}\ndata: ${JSON.stringify({ attempt, ...event })}\n\n`
      }
      if (events.length === batch) continue
      const state = JSON.stringify({
        attempt: job.attempts.at(-1)?.number ?? 1,
        state: job.state,
        reason: job.reason,
      })
      if (state !== told) yield `event: state\ndata: ${state}\n\n`
      told = state
      if (!isActive(job.state)) return
      if (!(await bell.wait())) yield ': still here\n\n'
    }
  } finally {
    stop()
  }
}

export const streamJob: PersonHandler = async (forge, ctx, person) => {
  const repo = repoOf(ctx)
  const id = jobOf(ctx)
  await getJob(forge, repo, id)
  ctx.type = 'text/event-stream'
  ctx.set('cache-control', 'no-store')
  // A proxy that collects the stream would hold back what is live.
  ctx.set('x-accel-buffering', 'no')
  // A page that shows the first events asks for what follows; a browser that reconnects knows better.
  const seen = ctx.get('last-event-id') || String(ctx.query['after'] ?? '')
  ctx.body = Readable.from(messages(forge, person, { repo, id, from: parsePlace(seen) }), {
    objectMode: false,
  })
}
