import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import t from 'tap'
import type { Forge } from '../../../server/forge.ts'
import type { Person } from '../../../server/identity/identity.ts'
import { openAttemptBook } from '../../../server/jobs/attempt-book.ts'
import { streamJob } from '../../../server/jobs/job-stream.ts'
import type { JobId, TokenId } from '../../../server/protocol/ids.ts'
import type { JobEventBody } from '../../../server/protocol/runner.ts'
import { tempFolder } from '../../support/temp.ts'
import { contextOf } from '../http/context-of.ts'
import { addJob, first, openInProcess, repo } from './forge-in-process.ts'
import { done, event } from './jobs.ts'

const line = (n: number): JobEventBody => ({ type: 'log', step: 'agent', stream: 'out', text: `line ${n}` })

const follow = async (
  forge: Forge,
  job: { id: JobId; token: TokenId },
  lastEventId = '',
): Promise<Readable> => {
  const person: Person = { kind: 'person', token: job.token, person: 'owner', label: 'test' }
  const ctx = contextOf({
    params: { name: repo, id: String(job.id) },
    headers: { 'last-event-id': lastEventId },
  })
  await streamJob(forge, ctx, person)
  t.match(ctx.response.get('content-type'), 'text/event-stream')
  if (!(ctx.body instanceof Readable)) throw new Error('not a stream')
  return ctx.body
}

const open = async (t: Parameters<typeof openInProcess>[0]) => {
  const { forge } = await openInProcess(t, tempFolder(t))
  const { db, audit, tokens, feed, now } = forge
  const book = openAttemptBook({ db, audit, tokens, feed, now })
  const job = await addJob(forge)
  return { forge, job, take: (seq: number, body: JobEventBody) => book.take(job.id, first, event(seq, body)) }
}

const idsIn = (stream: string): string[] => [...stream.matchAll(/^id: (.*)$/gm)].map(([, id = '']) => id)

t.test('what has been comes in order, then the final state, then the end', async (t) => {
  const { forge, job, take } = await open(t)
  await take(1, line(1))
  await take(2, done)
  const stream = await text(await follow(forge, job))
  t.same(idsIn(stream), ['1.1', '1.2'])
  t.match(stream, /^event: job\nid: 1\.1\ndata: \{"attempt":1,.*"text":"line 1".*\}\n\n/)
  t.match(stream, /event: state\ndata: \{"attempt":1,"state":"failed","reason":"push-refused"\}\n\n$/)
})

t.test('whoever has seen a part goes on after it; any other place is the beginning', async (t) => {
  const { forge, job, take } = await open(t)
  for (let n = 1; n <= 3; n += 1) await take(n, line(n))
  await take(4, done)
  t.same(idsIn(await text(await follow(forge, job, '1.2'))), ['1.3', '1.4'])
  t.same(idsIn(await text(await follow(forge, job, '1.4'))), [])
  t.same(idsIn(await text(await follow(forge, job, '2.0'))), [])
  for (const place of ['', 'x', '1', '1.', '.1', '-1.1', '1.1.1', '1.1x', ' ', '1e3.1', '999999.1'])
    t.same(idsIn(await text(await follow(forge, job, place))).length, 4, JSON.stringify(place))
})

t.test('more events than are read at once all come', async (t) => {
  const { forge, job, take } = await open(t)
  for (let n = 1; n <= 1001; n += 1) await take(n, line(n))
  await take(1002, done)
  t.same(
    idsIn(await text(await follow(forge, job))),
    Array.from({ length: 1002 }, (_, n) => `1.${n + 1}`),
  )
})

t.test('what comes while somebody listens is told at once', async (t) => {
  const { forge, job, take } = await open(t)
  const stream = await follow(forge, job)
  let seen = ''
  const steps = ['"state":"running"', 'line 1', 'line 2']
  for await (const chunk of stream as AsyncIterable<Buffer | string>) {
    seen += chunk.toString()
    if (steps[0] === undefined || !seen.includes(steps[0])) continue
    steps.shift()
    const seq = 3 - steps.length
    await take(seq, seq === 3 ? done : line(seq))
  }
  t.same(idsIn(seen), ['1.1', '1.2', '1.3'])
  t.match(seen, '"state":"failed"')
})

t.test('a token that is revoked hears no more', async (t) => {
  const { forge, job } = await open(t)
  const stream = await follow(forge, job)
  const rest = text(stream)
  await forge.tokens.revoke(job.token, null)
  forge.feed.publish(job.id)
  t.notMatch(await rest, 'event: job')
})

t.test('a job of another repository, or of none, is not found', async (t) => {
  const { forge, job } = await open(t)
  const person: Person = { kind: 'person', token: job.token, person: 'owner', label: 'test' }
  for (const params of [
    { name: 'other', id: String(job.id) },
    { name: repo, id: '999' },
    { name: repo, id: '0' },
  ])
    await t.rejects(streamJob(forge, contextOf({ params }), person), { code: 'not-found' })
})
