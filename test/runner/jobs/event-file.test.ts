import { appendFileSync, readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { type EventFile, openEventFile } from '../../../runner/jobs/event-file.ts'
import { type JobEvent, type JobEventBody, jobEvent } from '../../../server/protocol/runner.ts'
import { tempFolder } from '../../support/temp.ts'

const log = (text: string): JobEventBody => ({ type: 'log', step: 'agent', stream: 'out', text })
const end: JobEventBody = {
  type: 'ended',
  outcome: 'no-change',
  reason: null,
  used: { wallMs: 1, cpuMs: 1, peakBytes: 1, diskBytes: 1 },
}

const open = (t: Test, file = path.join(tempFolder(t), 'events.jsonl')) => {
  const events = openEventFile(file, () => 0)
  t.teardown(() => events.close())
  return { file, events }
}

const read = async (events: EventFile, after: number): Promise<JobEvent[]> => {
  let text = ''
  for await (const bytes of events.follow(after, new AbortController().signal)) text += bytes.toString()
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => jobEvent.parse(JSON.parse(line)))
}

t.test('events are counted from 1 and followed from anywhere to the end', async (t) => {
  const { events } = open(t)
  for (const text of ['a', 'b', 'c']) events.append(log(text))
  events.append(end)
  t.same(
    (await read(events, 0)).map(({ seq }) => seq),
    [1, 2, 3, 4],
  )
  t.same(
    (await read(events, 2)).map(({ seq }) => seq),
    [3, 4],
  )
  t.same(await read(events, 4), [])
  t.same(await read(events, 99), [])
})

t.test('a follower gets what comes later', async (t) => {
  const { events } = open(t)
  events.append(log('before'))
  const following = read(events, 0)
  events.append(log('after'))
  setImmediate(() => events.append(end))
  t.match(await following, [{ text: 'before' }, { text: 'after' }, { type: 'ended' }])
})

t.test('nothing follows the end', async (t) => {
  const { events, file } = open(t)
  events.append(end)
  t.ok(events.hasEnded())
  t.throws(() => events.append(log('late')))
  t.throws(() => events.append(end))
  t.equal(readFileSync(file, 'utf8').split('\n').length, 2)
})

t.test('a follower ends when it is told to', async (t) => {
  const { events } = open(t)
  const stop = new AbortController()
  const following = events.follow(0, stop.signal).next()
  stop.abort()
  t.match(await following, { done: true })
})

t.test('a follower that takes nothing keeps nothing in memory', async (t) => {
  const { events } = open(t)
  for (let count = 0; count < 1000; count += 1) events.append(log('x'.repeat(1000)))
  const following = events.follow(0, new AbortController().signal)
  const first = await following.next()
  t.ok((first.value?.length ?? 0) <= 64 * 1024)
  await following.return()
})

t.test('what a crash left half written is cut off, and counting goes on', async (t) => {
  const { events, file } = open(t)
  events.append(log('whole'))
  appendFileSync(file, '{"seq":2,"at":"2026-')
  const again = open(t, file).events
  t.notOk(again.hasEnded())
  again.append(end)
  t.match(await read(again, 0), [
    { seq: 1, text: 'whole' },
    { seq: 2, type: 'ended' },
  ])
  t.ok(open(t, file).events.hasEnded())
})

t.test('a file larger than a read is opened with all its events', async (t) => {
  const { events, file } = open(t)
  for (let count = 0; count < 300; count += 1) events.append(log(`${count} ${'é'.repeat(count * 5)}`))
  events.append(end)
  const again = open(t, file).events
  t.ok(again.hasEnded())
  t.equal((await read(again, 250)).length, 51)
})
