import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import t from 'tap'
import { agentJob } from '../../server/protocol/api.ts'
import { commitFile, jobToken, makeRepo, root, startForge, startJob } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

t.test('a rejection that is in the log, and not yet in the database, stands after a restart', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const { id } = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', id)
  await commitFile(work, 'new', 'new\n')
  await git(['push', '-q', forge.remote('hello', token), `HEAD:refs/agents/${id}/proposal`], {
    cwd: work,
    ca: forge.caFile,
  })
  // Ends the attempt; what was proposed stays.
  await forge.kill('SIGKILL')
  const db = () => new DatabaseSync(path.join(forge.dataDir, 'forge.sqlite'))
  const ended = db()
  ended.exec("update attempts set state = 'proposed', ended_at = 1")
  ended.close()
  await forge.start()
  const at = `/api/v1/repos/hello/agent-jobs/${id}`
  t.equal((await forge.ask(`${at}/reject`, { body: { reason: 'No.' } })).status, 200)

  await forge.kill('SIGKILL')
  const early = db()
  early.exec('delete from decisions')
  early.close()
  await forge.start()
  const job = (await forge.ask(at)).read(agentJob)
  t.match(job, { state: 'rejected', decision: { verdict: 'rejected', reason: 'No.' } })
  const { commit } = job.proposal ?? {}
  const approved = await forge.ask(`${at}/approve`, { body: { commit, branch: 'x', old: null } })
  t.equal(approved.status, 409, 'and nobody approves it')
})

t.test('a lock file of garbage is not taken for another server', async (t) => {
  const dataDir = tempFolder(t)
  writeFileSync(path.join(dataDir, 'lock'), 'garbage '.repeat(200))
  const child = spawn(process.execPath, [path.join(root, 'server/main.ts')], {
    cwd: dataDir,
    env: { PATH: process.env['PATH'] ?? '', DATA_DIR: dataDir, LISTEN: '127.0.0.1:0' },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
  await once(child, 'close')
  t.equal(child.exitCode, 1)
  t.match(said, /not a database/)
  t.notMatch(said, /Another server/)
})
