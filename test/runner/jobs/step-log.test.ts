import { readFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openEventFile } from '../../../runner/jobs/event-file.ts'
import { openStepLog } from '../../../runner/jobs/step-log.ts'
import { jobEvent } from '../../../server/protocol/runner.ts'
import { tempFolder } from '../../support/temp.ts'

const record = (t: Test, bytes: number, write: (log: ReturnType<typeof openStepLog>) => void) => {
  const file = path.join(tempFolder(t), 'events.jsonl')
  const events = openEventFile(file, () => 0)
  const log = openStepLog(events, 'agent', { left: bytes })
  write(log)
  log[Symbol.dispose]()
  events.close()
  const text = readFileSync(file, 'utf8')
  const lines = text.split('\n').slice(0, -1)
  return { size: text.length, events: lines.map((line) => jobEvent.parse(JSON.parse(line))) }
}

t.test('both streams are kept apart and whole', async (t) => {
  const { events } = record(t, 10_000, (log) => {
    log.write({ stream: 'out', bytes: Buffer.from('one\ntw') })
    log.write({ stream: 'err', bytes: Buffer.from('oh\n') })
    log.write({ stream: 'out', bytes: Buffer.from('o\n') })
  })
  t.match(events, [
    { type: 'log', step: 'agent', stream: 'out', text: 'one\ntwo\n' },
    { type: 'log', stream: 'err', text: 'oh\n' },
  ])
})

t.test('past the budget, bytes are counted and dropped, and the file stays small', async (t) => {
  const { events, size } = record(t, 20_000, (log) => {
    for (let count = 0; count < 1000; count += 1)
      log.write({ stream: 'out', bytes: Buffer.alloc(10_000, 'x') })
  })
  const kept = events.reduce((sum, event) => sum + (event.type === 'log' ? event.text.length : 0), 0)
  t.match(events.at(-1), { type: 'dropped', step: 'agent', bytes: 10_000_000 - kept })
  t.ok(size < 40_000)
})

t.test('characters that take more room in the file than in the log count for what they take', async (t) => {
  const { size } = record(t, 20_000, (log) => {
    for (let count = 0; count < 1000; count += 1) log.write({ stream: 'out', bytes: Buffer.alloc(1000) })
  })
  t.ok(size < 80_000)
})

t.test('what the runner says is kept also past the budget', async (t) => {
  const { events } = record(t, 0, (log) => log.say('The reason.'))
  t.match(events, [{ type: 'log', stream: 'err', text: 'The reason.\n' }])
})

t.test('a disk that is full when a pause is flushed ends the next write, not the process', async (t) => {
  const { promise: tried, resolve } = Promise.withResolvers<void>()
  const full = {
    ...openEventFile(path.join(tempFolder(t), 'events.jsonl'), () => 0),
    append: (): number => {
      resolve()
      throw new Error('ENOSPC')
    },
  }
  t.teardown(() => full.close())
  const log = openStepLog(full, 'agent', { left: 10_000 })
  log.write({ stream: 'out', bytes: Buffer.from('a prompt') })
  await tried
  await new Promise(setImmediate)
  t.throws(() => log.write({ stream: 'out', bytes: Buffer.from('more') }), { message: 'ENOSPC' })
})
