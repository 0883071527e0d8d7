import t from 'tap'
import { needsEngine } from '../../support/engine.ts'
import { serveOrigin } from '../../support/origin.ts'
import { endOf, logOf, specOf, startTestRunner } from '../../support/runner.ts'

t.test('what a task commonly needs works in the sandbox', needsEngine, async (t) => {
  const origin = await serveOrigin(t, {
    'package.json': '{ "name": "project", "scripts": { "hello": "echo hello from npm" } }\n',
    Makefile: 'all:\n\techo hello from make\n',
  })
  const runner = await startTestRunner(t)
  const script = `set -e
    node --eval "new (require('node:worker_threads').Worker)('console.log(\\"hello from node\\")', { eval: true })"
    node --eval "os.networkInterfaces(); console.log('hello from ' + os.tmpdir())"
    npm run --silent hello
    python3 -c 'import subprocess, threading; threading.Thread(target=lambda: print("hello from python")).start()'
    make --silent
    tmux new-session -d 'sleep 30'; tmux list-sessions -F 'hello from tmux'; tmux kill-server
    file=$(mktemp); echo hello from /tmp > /tmp/hello; cat /tmp/hello; rm "$file"
    cp /bin/echo /work/tmp/echo; /work/tmp/echo hello from a program of its own
    git fetch --quiet origin; git log --format='hello from %s'`
  const events = await runner.run(specOf(origin, script))
  t.equal(endOf(events).outcome, 'no-change')
  const hellos = logOf(events)
    .split('\n')
    .filter((line) => line.startsWith('hello'))
  t.same(hellos, [
    'hello from node',
    'hello from /work/tmp',
    'hello from npm',
    'hello from python',
    'hello from make',
    'hello from tmux',
    'hello from /tmp',
    'hello from a program of its own',
    'hello from Base',
  ])
})

t.test('a host that is not allowed is refused, and the refusal is an event', needsEngine, async (t) => {
  const origin = await serveOrigin(t, { 'greeting.txt': 'hello\n' })
  const runner = await startTestRunner(t)
  const ask = 'curl --silent --show-error https://example.invalid/'
  const events = await runner.run(
    specOf(origin, `${ask}; ${ask} --noproxy '*'; git ls-remote --quiet origin`),
  )
  t.match(logOf(events), /403/)
  t.match(logOf(events), /Could not resolve host/)
  t.match(logOf(events), /refs\/heads\/main/)
  const decisions = events.flatMap((event) => (event.type === 'egress' ? [event] : []))
  t.match(decisions, [
    { host: 'localhost', allowed: true },
    { host: 'example.invalid', port: 443, allowed: false },
    { host: 'localhost', allowed: true },
  ])
})

t.test('a wire that ends leaves a sandbox without a network, and the job goes on', needsEngine, async (t) => {
  const origin = await serveOrigin(t, { 'greeting.txt': 'hello\n' })
  const runner = await startTestRunner(t)
  // More connections than a wire may have.
  const flood = `for (let n = 0; n < 1100; n += 1)
    await new Promise((done) => http.request({ port: 8040, method: "CONNECT", path: "x.invalid:443" })
      .on("connect", (_, socket) => socket.destroy()).on("close", done).on("error", done).end())`
  const task = `node --input-type=module --eval 'import http from "node:http"; ${flood}'; git ls-remote --quiet origin || echo sealed`
  const events = await runner.run(specOf(origin, task))
  t.match(endOf(events), { outcome: 'no-change' })
  t.match(logOf(events), /The wire ended \(too-many-connections\)/)
  t.match(logOf(events), /^sealed$/m)
})
