import { chmodSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { needsEngine } from '../../support/engine.ts'
import { git } from '../../support/git.ts'
import { serveOrigin } from '../../support/origin.ts'
import { endOf, logOf, specOf, startTestRunner } from '../../support/runner.ts'

const files = { 'greeting.txt': 'hello\n' }
const task = 'echo changed > greeting.txt'

t.test('a forge that is away for a moment loses no job', needsEngine, async (t) => {
  let failures = 0
  const seen = new Set<string>()
  const origin = await serveOrigin(t, files, {
    token: 'right',
    // Each kind of request is answered once by a broken connection and once by a server that starts.
    intercept: ({ url = '' }) => {
      const service = /service=(.*)$/.exec(url)?.[1] ?? url
      for (const answer of ['hang-up', 503] as const) {
        if (seen.has(`${service} ${answer}`)) continue
        seen.add(`${service} ${answer}`)
        failures += 1
        return answer
      }
      return null
    },
  })
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, task), 'right')
  t.match(endOf(events), { outcome: 'proposed' })
  t.ok(failures >= 4)
  t.match(logOf(events), /trying again/)
})

t.test('a repository that is not there fails the clone at once', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, task, { repo: 'other' as never }))
  t.match(endOf(events), { outcome: 'failed', reason: 'clone-failed' })
  t.match(logOf(events), /not found/)
  t.equal(origin.requests.filter((request) => request.includes('/other.git')).length, 1)
})

t.test('a commit that is not there fails the clone', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const base = { ref: 'refs/heads/main', commit: 'd'.repeat(40) } as never
  t.match(endOf(await runner.run(specOf(origin, task, { base }))), { reason: 'clone-failed' })
})

t.test('a forge that speaks plain HTTP is refused before anything starts', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const forge = { url: origin.url.replace('https', 'http'), ca: null }
  const events = await runner.run(specOf(origin, task, { forge }))
  t.match(endOf(events), { outcome: 'failed', reason: 'clone-failed' })
  t.match(logOf(events), /set PUBLIC_URL/)
  t.notOk(events.some(({ type }) => type === 'container'))
  t.same(origin.requests, [])
})

t.test('a certificate that the job does not know is not accepted', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, task, { forge: { url: origin.url, ca: null } }))
  t.match(endOf(events), { outcome: 'failed', reason: 'clone-failed' })
  t.match(logOf(events), /certificate/)
})

t.test('a token that is refused makes the courier wait for a newer one', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const spec = specOf(origin, task)
  await runner.begin(spec)
  const events = []
  for await (const event of runner.follow(spec)) {
    events.push(event)
    if (event.type === 'collected') await runner.giveToken(spec, 'wrong')
    if (event.type === 'log' && event.text.includes('Authentication failed'))
      await runner.giveToken(spec, 'right')
  }
  t.match(endOf(events), { outcome: 'proposed' })
})

t.test('what the forge’s hook says is in the log, without the token', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'spb_job_secret' })
  const hook = path.join(origin.bare, 'hooks', 'pre-receive')
  writeFileSync(hook, '#!/bin/sh\necho "no, not with spb_job_secret"\nexit 1\n')
  chmodSync(hook, 0o755)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, task), 'spb_job_secret')
  t.match(endOf(events), { outcome: 'failed', reason: 'push-refused' })
  t.match(logOf(events), /remote: no, not with \[token\]/)
  t.notMatch(JSON.stringify(events), 'spb_job_secret')
  t.equal(await git(['for-each-ref', 'refs/agents'], { cwd: origin.bare }), '')
})
