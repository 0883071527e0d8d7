import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import t, { type Test } from 'tap'
import { lockDataFolder } from '../../../server/store/lock.ts'
import { tempFolder } from '../../support/temp.ts'

const holder = `import { lockDataFolder } from ${JSON.stringify(new URL('../../../server/store/lock.ts', import.meta.url).href)}
lockDataFolder(process.argv[1])
process.stdout.write('held')
setInterval(() => undefined, 60_000)`

/** Another process that has the lock. */
const holdElsewhere = async (t: Test, file: string): Promise<ChildProcess> => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holder, file], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.teardown(() => child.kill('SIGKILL'))
  await once(child.stdout, 'data')
  return child
}

t.test('one data folder has one server, and kill -9 frees it', async (t) => {
  const file = path.join(tempFolder(t), 'lock')
  const child = await holdElsewhere(t, file)
  t.throws(() => lockDataFolder(file), { code: 'data-folder-in-use' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const release = lockDataFolder(file)
  t.throws(() => lockDataFolder(file), { code: 'data-folder-in-use' }, 'also for this very process')
  release()
  lockDataFolder(file)()
})
