import { readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import t from 'tap'
import { needsEngine } from '../support/engine.ts'
import { git } from '../support/git.ts'
import { serveOrigin } from '../support/origin.ts'
import { endOf, listLeft, logOf, secret, smallLimits, specOf, startTestRunner } from '../support/runner.ts'

const files = { 'greeting.txt': 'hello\n' }
const MiB = 1024 * 1024

t.test('no token and no secret is where untrusted code runs', needsEngine, async (t) => {
  const token = 'spb_job_only_for_the_courier'
  const origin = await serveOrigin(t, files, { token })
  const runner = await startTestRunner(t)
  const search = `env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' '\\n'; mount; ls -laR /work /scratch /run 2>&1
    find / -xdev -type f -newer /proc/1 2>/dev/null | head; cat .git/config; git config --list; ls /var/run/docker.sock 2>&1`
  const spec = specOf(origin, `{ ${search}; } > found.txt; cat found.txt`, {
    test: { command: search, paths: [] },
  })
  const events = await runner.run(spec, token)
  t.equal(endOf(events).outcome, 'proposed')
  const found = await git(['show', `refs/agents/${spec.job}/proposal:found.txt`], { cwd: origin.bare })
  for (const text of [found, logOf(events)]) {
    t.match(text, /AGENT_WORKSPACE_JOB=/, 'the search found something')
    t.notMatch(text, token)
    t.notMatch(text, secret)
    t.notMatch(text, '/scratch/')
  }
  t.notMatch(readFileSync(path.join(runner.dataDir, 'jobs', `${spec.job}-1`, 'events.jsonl'), 'utf8'), token)
})

t.test('a fork bomb ends with its container', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'bomb() { bomb | bomb & }; (bomb); while :; do :; done', {
    limits: { ...smallLimits, wallMs: 6000 },
  })
  const events = await runner.run(spec)
  t.match(endOf(events), { outcome: 'failed', reason: 'timeout' })
  t.same(await listLeft(runner), [])
})

t.test('a bomb that leaves its maker is not followed by it into the proposal', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const task =
    'echo before > greeting.txt; (while :; do echo after > greeting.txt; done) >/dev/null 2>&1 & sleep 1'
  const events = await runner.run(specOf(origin, task), 'right')
  t.equal(endOf(events).outcome, 'proposed')
  t.same(await listLeft(runner), [])
})

t.test('killing everything kills neither the clock nor the wire', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, 'kill -9 1; kill -9 -1; echo lives'))
  t.match(endOf(events), { outcome: 'no-change' })
  t.match(logOf(events), /lives/)
  t.notMatch(logOf(events), /The wire ended/)
})

t.test('a line of 400 MB costs neither memory nor disk', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'head -c 419430400 /dev/zero | tr "\\0" x')
  let peak = 0
  const before = process.memoryUsage.rss()
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }, 20)
  const events = await runner.run(spec)
  clearInterval(timer)
  t.ok(peak - before < 200 * MiB, `memory grew by ${Math.round((peak - before) / MiB)} MiB`)
  const kept = events.reduce(
    (sum, event) => sum + (event.type === 'log' && event.step === 'agent' ? event.text.length : 0),
    0,
  )
  const dropped = events.find((event) => event.type === 'dropped')
  t.match(dropped, { step: 'agent', bytes: 419_430_400 - kept })
  const file = path.join(runner.dataDir, 'jobs', `${spec.job}-1`, 'events.jsonl')
  t.ok(statSync(file).size < smallLimits.logBytes + MiB)
})

t.test('output that is not text becomes text', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, 'printf "a\\377\\000b\\n"; head -c 100000 /dev/urandom'))
  t.equal(endOf(events).outcome, 'no-change')
  t.ok(logOf(events).startsWith('a\ufffd\u0000b\n'))
})

t.test('more files than the disk allows is the agent’s error, and leaves nothing', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const script = 'import os\nfor n in range(10**6): open(f"f{n}","w").close()'
  const events = await runner.run(specOf(origin, `python3 -c '${script}'`))
  t.match(endOf(events), { outcome: 'failed', reason: 'disk-full' })
  t.ok(events.some(({ type }) => type === 'salvaged'))
  t.same(await listLeft(runner), [])
})
