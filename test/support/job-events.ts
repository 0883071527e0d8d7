import https from 'node:https'
import { z } from 'zod'
import { type StateEvent, stateEvent } from '../../server/protocol/api.ts'
import { type JobEvent, jobEvent } from '../../server/protocol/runner.ts'
import type { RunningForge } from './forge.ts'

export type Told = { type: 'job'; id: string; event: JobEvent } | { type: 'state'; state: StateEvent }

const parse = (message: string): Told[] => {
  const fields = new Map(
    message.split('\n').map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
  )
  const data: unknown = JSON.parse(fields.get('data') ?? 'null')
  const event = fields.get('event')
  if (event === 'job')
    return [{ type: 'job', id: z.string().parse(fields.get('id')), event: jobEvent.parse(data) }]
  return event === 'state' ? [{ type: 'state', state: stateEvent.parse(data) }] : []
}

/** A job's server-sent events, as they come, until the forge ends the stream or the connection is lost. */
export async function* followJob(
  forge: RunningForge,
  repo: string,
  job: number,
  lastEventId = '',
): AsyncGenerator<Told> {
  const response = await new Promise<AsyncIterable<Buffer>>((resolve, reject) => {
    const request = https.get(
      `${forge.url}/api/v1/repos/${repo}/agent-jobs/${job}/events`,
      {
        ca: forge.ca,
        agent: false,
        headers: {
          authorization: `Bearer ${forge.token}`,
          ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
        },
      },
      resolve,
    )
    request.on('error', reject)
  })
  let text = ''
  for await (const chunk of response) {
    const messages = (text + chunk.toString()).split('\n\n')
    text = messages.pop() ?? ''
    for (const message of messages) yield* parse(message)
  }
}

/** Waits for the first thing told that fits; undefined when the stream ends without it. */
export const untilTold = async (
  forge: RunningForge,
  repo: string,
  job: number,
  fits: (told: Told) => boolean,
): Promise<Told | undefined> => {
  for await (const told of followJob(forge, repo, job)) if (fits(told)) return told
  return undefined
}

/** Follows a job to the end of its stream and returns all that was told. */
export const followToEnd = async (forge: RunningForge, repo: string, job: number): Promise<Told[]> => {
  const all: Told[] = []
  for await (const told of followJob(forge, repo, job)) all.push(told)
  return all
}
