import { spawnSync } from 'node:child_process'
import fs from 'node:fs/promises'
import path from 'node:path'
import process from 'node:process'
import t from 'tap'
import { enter, findDaemon, forget, leave, recordDaemon } from '../../../scripts/engine/lease.ts'

t.test('a run counts from the moment it enters until it leaves', async (t) => {
  const lease = { folder: t.testdir() }
  await enter(lease)
  t.same(await fs.readdir(path.join(lease.folder, 'users')), [String(process.pid)])
  t.equal(await leave(lease), 0)
  t.same(await fs.readdir(path.join(lease.folder, 'users')), [])
})

t.test('others count while they live, and no longer once they were killed', async (t) => {
  const dead = spawnSync('true').pid
  const users = { [process.ppid]: '', [dead]: '' }
  const lease = { folder: t.testdir({ users }) }
  await enter(lease)
  t.equal(await leave(lease), 1)
})

t.test('to leave without having entered is no error', async (t) => {
  t.equal(await leave({ folder: path.join(t.testdir(), 'absent') }), 0)
})

t.test('a process that got the number of an engine that ended is not taken for the engine', async (t) => {
  const lease = { folder: t.testdir() }
  t.equal(await findDaemon(lease), null)
  await recordDaemon(lease, process.pid)
  t.equal(await findDaemon(lease), null)
})

t.test('nothing remains of a lease that is forgotten', async (t) => {
  const lease = { folder: path.join(t.testdir(), 'lease') }
  await enter(lease)
  await forget(lease)
  await t.rejects(fs.stat(lease.folder), { code: 'ENOENT' })
})
