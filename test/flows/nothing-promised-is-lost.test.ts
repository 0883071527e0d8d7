import { chmodSync, cpSync, symlinkSync, writeFileSync } from 'node:fs'
import https from 'node:https'
import path from 'node:path'
import t from 'tap'
import { agentJob, jobRecord, listOf } from '../../server/protocol/api.ts'
import { startConsumer } from '../support/consumer.ts'
import {
  commitFile,
  jobToken,
  makeRepo,
  type RunningForge,
  root,
  startForge,
  startJob,
} from '../support/forge.ts'
import { git, startGit, tryGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

const refAt = (forge: RunningForge, cwd: string, ref: string): Promise<string> =>
  git(['ls-remote', forge.remote('hello'), ref], { cwd, ca: forge.caFile })

/** Looks again until the ref is there; the test's own time limit ends it otherwise. */
const untilRef = async (forge: RunningForge, cwd: string, ref: string): Promise<void> => {
  while ((await refAt(forge, cwd, ref)) === '') await new Promise((resolve) => setImmediate(resolve))
}

/** What git itself would send: the command, and a pack of what the base lacks. */
const pushBody = async (work: string, base: string, commit: string, ref: string): Promise<Buffer> => {
  const command = `${'0'.repeat(40)} ${commit} ${ref}\0report-status\n`
  const child = startGit(['pack-objects', '--stdout', '--revs', '-q'], { cwd: work })
  child.stdin?.end(`${commit}\n^${base}\n`)
  const chunks: Buffer[] = []
  for await (const chunk of (child.stdout ?? []) as AsyncIterable<Buffer>) chunks.push(chunk)
  return Buffer.concat([
    Buffer.from(`${(command.length + 4).toString(16).padStart(4, '0')}${command}0000`),
    ...chunks,
  ])
}

t.test('a client that leaves right after its push has its proposal all the same', async (t) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const commit = await commitFile(work, 'new', 'new\n')
  const body = await pushBody(work, base, commit, `refs/agents/${job.id}/proposal`)
  const request = https.request(`${forge.url}/hello.git/git-receive-pack`, {
    method: 'POST',
    ca: forge.ca,
    agent: false,
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/x-git-receive-pack-request',
      'content-length': body.length,
    },
  })
  request.on('error', () => undefined)
  await new Promise<void>((resolve) => request.end(body, resolve))
  // All of it has left this side; the answer is not waited for.
  request.socket?.end()
  await untilRef(forge, work, `refs/agents/${job.id}/r1`)
  const shown = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}`)).read(agentJob)
  t.equal(shown.proposal?.commit, commit)
  const page = await forge.ask(`/repos/hello/jobs/${job.id}`, { token: null })
  t.match(page.text, /Change new/)
})

/** The forge’s own program, with one hook replaced. */
const withHook = (t: Parameters<typeof tempFolder>[0], hook: string, script: string): string => {
  const source = tempFolder(t)
  for (const part of ['server', 'hooks', 'views', 'package.json']) {
    cpSync(path.join(root, part), path.join(source, part), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(source, 'node_modules'))
  writeFileSync(path.join(source, 'hooks', hook), script)
  chmodSync(path.join(source, 'hooks', hook), 0o755)
  return source
}

t.test(
  'a forge killed between the ref’s move and post-receive shows the proposal when it is back',
  async (t) => {
    // The hook runs at exactly that moment: its parent is git, whose parent is the forge.
    const source = withHook(
      t,
      'post-receive',
      '#!/bin/sh\nread old new ref\ncase $ref in refs/agents/*) kill -9 $(cut -d" " -f4 /proc/$PPID/stat) ;; esac\n',
    )
    const forge = await startForge(t, {}, source)
    const { work } = await makeRepo(t, forge)
    const job = await startJob(forge, 'hello', 'true')
    const token = await jobToken(forge, 'hello', job.id)
    const commit = await commitFile(work, 'new', 'new\n')
    const push = await tryGit(['push', forge.remote('hello', token), `HEAD:refs/agents/${job.id}/proposal`], {
      cwd: work,
      ca: forge.caFile,
    })
    t.not(push.code, 0, 'the client has lost its connection')
    await forge.start()
    const shown = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}`)).read(agentJob)
    t.equal(shown.proposal?.commit, commit)
    t.match(await refAt(forge, work, `refs/agents/${job.id}/r1`), commit)
    const page = await forge.ask(`/repos/hello/jobs/${job.id}`, { token: null })
    t.match(page.text, /Change new/)
    const { items } = (await forge.ask('/api/v1/agent-jobs')).read(listOf(jobRecord))
    t.same(
      items[0]?.refsWritten,
      ['proposal', 'r1'].map((name) => ({ ref: `refs/agents/${job.id}/${name}`, commit })),
      'and the audit says so',
    )
  },
)

t.test(
  'a person’s push that the forge did not live to record is told to webhooks by the next start',
  async (t) => {
    const source = withHook(
      t,
      'post-receive',
      '#!/bin/sh\nread old new ref\ncase $ref in refs/heads/x) kill -9 $(cut -d" " -f4 /proc/$PPID/stat) ;; esac\n',
    )
    const forge = await startForge(t, { WEBHOOK_HOSTS: '127.0.0.1' }, source)
    const consumer = await startConsumer(t)
    const { work } = await makeRepo(t, forge)
    await forge.ask('/api/v1/webhooks', { body: { url: consumer.url, events: ['push'] } })
    await consumer.count(1)
    const commit = await commitFile(work, 'new', 'new\n')
    const tag = ['tag', '-a', '-m', 'words', 'v1']
    await git(tag, { cwd: work })
    const push = ['push', forge.remote('hello', forge.token), 'HEAD:refs/heads/x', 'v1']
    t.not((await tryGit(push, { cwd: work, ca: forge.caFile })).code, 0, 'the client has lost its connection')
    await forge.start()
    await consumer.count(3)
    const told = consumer.taken.slice(1).map(({ body }) => JSON.parse(body) as { ref: string; after: string })
    t.match(told, [
      { ref: 'refs/heads/x', after: commit },
      { ref: 'refs/tags/v1', after: await git(['rev-parse', 'v1'], { cwd: work }) },
    ])
  },
)
