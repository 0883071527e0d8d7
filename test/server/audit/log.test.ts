import { spawn } from 'node:child_process'
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { openAuditLog } from '../../../server/audit/log.ts'
import { jobId } from '../../../server/protocol/ids.ts'
import { tempFolder } from '../../support/temp.ts'
import { approveIntended, attempt, commit, created, job, now, rejected, topic } from './entries.ts'

const fileIn = (t: Test): string => path.join(tempFolder(t), 'agent-jobs.jsonl')

/** A log of five entries, closed. */
const written = async (t: Test): Promise<string> => {
  const file = fileIn(t)
  const log = await openAuditLog(file)
  for (const reason of ['one', 'two', 'three \ufffd', 'four', 'five']) await log.append(rejected(reason), now)
  await log.close()
  return file
}

const lines = (file: string): string[] => readFileSync(file, 'utf8').trimEnd().split('\n')
const rewrite = (file: string, changed: readonly string[]): void =>
  writeFileSync(file, changed.map((line) => `${line}\n`).join(''))

t.test('what was appended is there after a restart, in order, for its job', async (t) => {
  const file = await written(t)
  const log = await openAuditLog(file)
  t.teardown(() => log.close())
  t.equal(log.head().seq, 5)
  t.same(
    (await log.ofJob(job)).map((entry) => entry.type === 'rejected' && entry.reason),
    ['one', 'two', 'three \ufffd', 'four', 'five'],
  )
  t.same(await log.ofJob(jobId.parse(7)), [])
  t.equal(log.lastJob(), 42)
  t.equal(statSync(file).mode & 0o777, 0o600)
})

t.test('an empty log has nothing in it, and the chain begins', async (t) => {
  const log = await openAuditLog(fileIn(t))
  t.teardown(() => log.close())
  t.match(log.head(), { seq: 0, hash: /^0{64}$/ })
  t.equal(log.lastJob(), 0)
  t.match(await log.append(created, now), { seq: 1 })
})

t.test('appended at once, entries stand one after the other', async (t) => {
  const file = fileIn(t)
  const log = await openAuditLog(file)
  const entries = await Promise.all(
    Array.from({ length: 50 }, (_, n) => log.append(rejected(String(n)), now)),
  )
  await log.close()
  t.same(
    entries.map(({ seq }) => seq),
    Array.from({ length: 50 }, (_, n) => n + 1),
  )
  const again = await openAuditLog(file)
  t.same(again.head(), { seq: 50, hash: entries.at(-1)?.hash })
  await again.close()
})

t.test(
  'a last line that was being written when the process died is cut off, and the chain goes on',
  async (t) => {
    const file = await written(t)
    const whole = readFileSync(file)
    for (const cut of [1, 20, 200]) {
      writeFileSync(file, whole.subarray(0, whole.length - cut))
      const log = await openAuditLog(file)
      t.equal(log.head().seq, 4)
      await log.append(rejected('again'), now)
      await log.close()
      t.equal(lines(file).length, 5)
      await (await openAuditLog(file)).close()
    }
  },
)

t.test('any altered byte of what was promised is found', async (t) => {
  const file = await written(t)
  const whole = readFileSync(file)
  for (let at = 0; at < whole.length; at += 97) {
    const altered = Buffer.from(whole)
    altered[at] = (whole[at] ?? 0) ^ 1
    writeFileSync(file, altered)
    await t.rejects(openAuditLog(file), { code: 'audit-chain-broken' }, `byte ${at}`)
  }
})

t.test('bytes that only read like the ones they replace are found', async (t) => {
  const file = await written(t)
  const bytes = readFileSync(file)
  Buffer.from([0xf0, 0x90, 0x80]).copy(bytes, bytes.indexOf('\ufffd'))
  writeFileSync(file, bytes)
  await t.rejects(openAuditLog(file), { code: 'audit-chain-broken', seq: 3 })
})

t.test('a removed, repeated, swapped or invented line is found', async (t) => {
  const file = await written(t)
  const [one = '', two = '', three = '', four = '', five = ''] = lines(file)
  for (const changed of [
    [two, three, four, five],
    [one, three, four, five],
    [one, two, two, three, four, five],
    [one, three, two, four, five],
    [one, two, three, four, five, '{}'],
    ['', one, two],
  ]) {
    rewrite(file, changed)
    await t.rejects(openAuditLog(file), { code: 'audit-chain-broken' })
  }
})

t.test('lines cut from the end are not found by the chain, but by whoever has its head', async (t) => {
  const file = await written(t)
  const before = await openAuditLog(file)
  const { hash } = before.head()
  await before.close()
  rewrite(file, lines(file).slice(0, 4))
  const after = await openAuditLog(file)
  t.not(after.head().hash, hash)
  await after.close()
})

t.test('an intent is open until its outcome is known, also over a restart', async (t) => {
  const file = fileIn(t)
  const log = await openAuditLog(file)
  const first = await log.append(approveIntended, now)
  const second = await log.append(approveIntended, now)
  await log.append({ type: 'approve-done', job, intent: first.seq, moved: true }, now)
  t.same(log.openIntents(), [second])
  await log.close()
  const again = await openAuditLog(file)
  t.same(again.openIntents(), [second])
  await again.append({ type: 'approve-done', job, intent: second.seq, moved: false }, now)
  t.same(again.openIntents(), [])
  await again.close()
})

t.test('an outcome without an intent closes nothing', async (t) => {
  const log = await openAuditLog(fileIn(t))
  t.teardown(() => log.close())
  const open = await log.append(approveIntended, now)
  await log.append(
    {
      type: 'attempt-done',
      job,
      attempt,
      intent: null,
      state: 'failed',
      reason: 'deadline',
      used: null,
      tokenSpend: null,
    },
    now,
  )
  t.same(log.openIntents(), [open])
})

t.test('what cannot be written leaves no trace, and the log goes on', async (t) => {
  const file = fileIn(t)
  const script = fileURLToPath(new URL('append-until-full.ts', import.meta.url))
  // A limit on the size of files is the full disk that any test can have.
  const child = spawn(
    '/bin/sh',
    ['-c', `unset NODE_OPTIONS; trap '' XFSZ; ulimit -f 20; exec "$0" "$@"`, process.execPath, script, file],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  const count = Number(await text(child.stdout))
  t.ok(count > 2, 'some entries fit')
  const log = await openAuditLog(file)
  t.equal(log.head().seq, count)
  t.equal(lines(file).length, count)
  await log.close()
})

t.test('a very long entry is read back whole', async (t) => {
  const file = fileIn(t)
  const log = await openAuditLog(file)
  const reason = 'é\n"'.repeat(100_000)
  await log.append(rejected(reason), now)
  await log.append({ type: 'push-done', job, intent: 1, moved: [{ ref: topic, commit }] }, now)
  await log.close()
  const again = await openAuditLog(file)
  t.match(await again.ofJob(job), [{ reason }, { type: 'push-done' }])
  await again.close()
})

t.test('nothing is appended to a log that was closed', async (t) => {
  const log = await openAuditLog(fileIn(t))
  await log.close()
  await t.rejects(log.append(created, now))
})

t.test('a file with what is no log at all is refused', async (t) => {
  const file = fileIn(t)
  appendFileSync(file, 'hello\n')
  await t.rejects(openAuditLog(file), { code: 'audit-chain-broken', seq: 1 })
})
