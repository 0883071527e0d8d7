import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import pino from 'pino'
import t, { type Test } from 'tap'
import { openDispatcher } from '../../../server/jobs/dispatcher.ts'
import type { JobId } from '../../../server/protocol/ids.ts'
import { commit, done, event, first, openJobs, used } from './jobs.ts'
import { type Handler, startRunner } from './stand-in-runner.ts'

const log = pino({ level: 'silent' })

const open = async (t: Test, handler: Handler) => {
  const jobs = await openJobs(t)
  const runner = await startRunner(t, handler)
  const { db, tokens, book, salvageFile, now } = jobs
  const start = () => {
    const dispatcher = openDispatcher({
      db,
      tokens,
      book,
      runner,
      address: { url: 'https://localhost', ca: null },
      salvageFile,
      log,
      now,
    })
    t.teardown(() => dispatcher.stop())
    return dispatcher
  }
  const isAcknowledged = async (job: JobId): Promise<boolean> => (await jobs.rowOf(job)).acknowledged === 1
  return { ...jobs, ...runner, start, isAcknowledged }
}

type Routes = Readonly<Record<string, (response: ServerResponse, url: URL) => void>>

/** Answers by method and the last part of the path; `attempt` stands for the attempt itself. */
const routed =
  (routes: Routes): Handler =>
  (request, response) => {
    request.resume()
    const url = new URL(request.url ?? '', 'http://runner')
    const last = url.pathname.split('/').at(-1) ?? ''
    const route = routes[`${request.method} ${/^\d+$/.test(last) ? 'attempt' : last}`]
    request.on('end', () => (route ? route(response, url) : response.writeHead(404).end()))
  }

const ok = (response: ServerResponse): void => void response.writeHead(200).end()
const lines = (...events: readonly object[]): string =>
  events.map((one) => `${JSON.stringify(one)}\n`).join('')
/** Those of the events that come after the one that was asked for. */
const since = (url: URL, ...events: readonly { seq: number }[]): string =>
  lines(...events.filter(({ seq }) => seq > Number(url.searchParams.get('after'))))

/** Asked again until it holds: what is waited for here is no change of a job. */
const eventually = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 10))
}

t.test('an attempt is started, followed to its end, and forgotten by the runner', async (t) => {
  const { start, add, propose, rowOf, asked, isAcknowledged } = await open(
    t,
    routed({
      'PUT attempt': (response) => response.writeHead(201).end(),
      'GET events': (response) =>
        response.end(lines(event(1, { type: 'step', step: 'agent', status: 'started' }), event(2, done))),
      'DELETE attempt': ok,
    }),
  )
  const job = await add()
  await propose(job)
  start().wake()
  await eventually(() => isAcknowledged(job))
  t.same(asked, [`PUT /v1/jobs/${job}/1`, `GET /v1/jobs/${job}/1/events?after=0`, `DELETE /v1/jobs/${job}/1`])
  t.match(await rowOf(job), { state: 'proposed', last_seq: 2 })
})

t.test('after what was collected the runner gets a token for that job alone', async (t) => {
  let token = ''
  const { start, add, tokens, rowOf, isAcknowledged } = await open(t, (request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      if (request.url?.endsWith('/token')) token = (JSON.parse(body) as { token: string }).token
      if (request.url?.includes('/events?after=0')) {
        response.write(lines(event(1, { type: 'collected', head: commit, commits: 1 })))
        const timer = setInterval(() => {
          if (token === '') return
          clearInterval(timer)
          response.end(lines(event(2, { type: 'ended', outcome: 'failed', reason: 'push-refused', used })))
        }, 5)
      } else response.end()
    })
  })
  const job = await add()
  start().wake()
  await eventually(() => isAcknowledged(job))
  t.match(token, /^spb_job_/)
  t.equal(await tokens.verify(token), null, 'and it ended with the attempt')
  t.match(await rowOf(job), { state: 'failed', reason: 'push-refused', collected: commit })
})

t.test('an end whose acknowledgement was lost is acknowledged again, and holds up nobody', async (t) => {
  let refusals = 2
  const { start, add, asked, isAcknowledged } = await open(
    t,
    routed({
      'PUT attempt': ok,
      'GET events': (response, url) => response.end(since(url, event(1, done))),
      'DELETE attempt': (response) => response.writeHead(refusals-- > 0 ? 503 : 200).end(),
    }),
  )
  const jobs = [await add(), await add(), await add()]
  start().wake()
  for (const job of jobs) await eventually(() => isAcknowledged(job))
  t.equal(asked.filter((one) => one.startsWith('GET')).length, 3)
})

t.test('a forge that died between an end and its acknowledgement goes on from there', async (t) => {
  const { start, add, book, isAcknowledged, asked } = await open(
    t,
    routed({
      'GET events': (response, url) => response.end(since(url, event(1, done))),
      'DELETE attempt': ok,
    }),
  )
  const job = await add()
  await book.dispatching(job, first)
  await book.dispatched(job, first)
  await book.take(job, first, event(1, done))
  start().wake()
  await eventually(() => isAcknowledged(job))
  t.same(asked, [`DELETE /v1/jobs/${job}/1`])
})

t.test('a stream that breaks is taken up where it broke', async (t) => {
  let times = 0
  const { start, add, asked, isAcknowledged } = await open(
    t,
    routed({
      'PUT attempt': ok,
      'GET events': (response, url) => {
        times += 1
        if (times > 1) response.end(since(url, event(1, { type: 'salvaged', bytes: 1 }), event(2, done)))
        else {
          response.write(lines(event(1, { type: 'step', step: 'agent', status: 'started' })))
          setImmediate(() => response.destroy())
        }
      },
      'DELETE attempt': ok,
    }),
  )
  const job = await add()
  start().wake()
  await eventually(() => isAcknowledged(job))
  t.same(
    asked.filter((one) => one.startsWith('GET')),
    [`GET /v1/jobs/${job}/1/events?after=0`, `GET /v1/jobs/${job}/1/events?after=1`],
  )
})

t.test('an attempt that the runner has forgotten is lost; what it had pushed stays', async (t) => {
  const { start, add, propose, rowOf, isAcknowledged } = await open(t, routed({ 'PUT attempt': ok }))
  const lost = await add()
  const pushed = await add()
  await propose(pushed)
  start().wake()
  await eventually(async () => (await isAcknowledged(lost)) && isAcknowledged(pushed))
  t.match(await rowOf(lost), { state: 'failed', reason: 'runner-lost' })
  t.match(await rowOf(pushed), { state: 'proposed', reason: 'runner-lost' })
})

t.test('a runner with another secret gets no second chance with the same attempt', async (t) => {
  const { start, add, rowOf, isAcknowledged } = await open(
    t,
    (_request, response) => void response.writeHead(401).end(),
  )
  const job = await add()
  start().wake()
  await eventually(() => isAcknowledged(job))
  t.match(await rowOf(job), { state: 'failed', reason: 'runner-refused' })
})

t.test('a runner that never tells the end is given up, however it goes on', async (t) => {
  for (const events of ['', lines(event(7, done)), 'garbage\n']) {
    const { start, add, rowOf, clock, until } = await open(
      t,
      routed({ 'PUT attempt': ok, 'GET events': (response) => response.end(events), 'POST cancel': ok }),
    )
    const job = await add()
    const dispatcher = start()
    dispatcher.wake()
    await until(job, async () => (await rowOf(job)).dispatched_at !== null)
    clock.now += 24 * 60 * 60_000
    await until(job, async () => (await rowOf(job)).ended_at !== null)
    t.match(await rowOf(job), { state: 'failed', reason: 'deadline' })
    await dispatcher.stop()
  }
})

t.test('what a killed agent had written is kept', async (t) => {
  const { start, add, salvageFile, isAcknowledged } = await open(
    t,
    routed({
      'PUT attempt': ok,
      'GET events': (response) =>
        response.end(
          lines(
            event(1, { type: 'salvaged', bytes: 5 }),
            event(2, { type: 'ended', outcome: 'failed', reason: 'timeout', used }),
          ),
        ),
      'GET salvaged': (response) => response.end('patch'),
      'DELETE attempt': ok,
    }),
  )
  const job = await add()
  start().wake()
  await eventually(() => isAcknowledged(job))
  t.equal(readFileSync(salvageFile(job), 'utf8'), 'patch')
})

t.test('a queued job that is cancelled never reaches the runner', async (t) => {
  const { start, add, rowOf, asked } = await open(t, routed({}))
  const job = await add()
  const dispatcher = start()
  await dispatcher.cancel({ job, number: first })
  dispatcher.wake()
  await dispatcher.stop()
  t.match(await rowOf(job), { state: 'cancelled', reason: 'cancelled' })
  t.same(asked, [])
})

t.test('a running job is cancelled by its runner, which says so', async (t) => {
  let events: ServerResponse | null = null
  const { start, add, rowOf, isAcknowledged } = await open(
    t,
    routed({
      'PUT attempt': ok,
      'GET events': (response) => {
        events = response
        response.flushHeaders()
      },
      'POST cancel': (response) => {
        ok(response)
        events?.end(lines(event(1, { type: 'ended', outcome: 'cancelled', reason: null, used })))
      },
      'DELETE attempt': ok,
    }),
  )
  const job = await add()
  const dispatcher = start()
  dispatcher.wake()
  await eventually(() => events !== null)
  await dispatcher.cancel({ job, number: first })
  await eventually(() => isAcknowledged(job))
  t.match(await rowOf(job), { state: 'cancelled', reason: 'cancelled', used: JSON.stringify(used) })
})

t.test('stopping ends the following at once, and leaves the attempt to the next start', async (t) => {
  const { start, add, rowOf, asked } = await open(
    t,
    routed({ 'PUT attempt': ok, 'GET events': (response) => response.flushHeaders() }),
  )
  const job = await add()
  const dispatcher = start()
  dispatcher.wake()
  await eventually(() => asked.length === 2)
  await dispatcher.stop()
  t.match(await rowOf(job), { state: 'starting', ended_at: null, acknowledged: 0 })
})
