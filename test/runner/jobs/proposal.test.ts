import { readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import type { JobEvent } from '../../../server/protocol/runner.ts'
import { needsEngine } from '../../support/engine.ts'
import { git } from '../../support/git.ts'
import { serveOrigin } from '../../support/origin.ts'
import { endOf, listLeft, logOf, smallLimits, specOf, startTestRunner } from '../../support/runner.ts'

const files = {
  'greeting.txt': 'hello\n',
  'checks/test.sh': 'grep -q ello greeting.txt\n',
  '.gitignore': 'ignored\n',
}

/** What an event is, without what differs from run to run. */
const nameOf = (event: JobEvent): string[] => {
  switch (event.type) {
    case 'container':
      return [`container ${event.purpose}`]
    case 'step':
      return [`${event.step} ${event.status}`]
    case 'tested':
      return [`tested ${event.against} ${event.result}`]
    case 'collected':
    case 'pushed':
    case 'ended':
      return [event.type]
    case 'log':
    case 'dropped':
    case 'egress':
    case 'salvaged':
      return []
  }
}

t.test('a task becomes a tested proposal, and nothing is left', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'sed -i s/hello/Hello/ greeting.txt; touch ignored new; echo done', {
    setup: 'echo prepared',
    test: { command: 'sh checks/test.sh', paths: ['checks'] },
  })
  const events = await runner.run(spec, 'right')
  t.same(events.flatMap(nameOf), [
    'container collect',
    'container agent',
    'clone started',
    'clone ended',
    'setup started',
    'setup ended',
    'agent started',
    'agent ended',
    'collect started',
    'collected',
    'collect ended',
    'push started',
    'container courier',
    'pushed',
    'push ended',
    'verify started',
    'container verify',
    'tested proposal passed',
    'tested base-tests passed',
    'verify ended',
    'ended',
  ])
  t.same(
    events.map(({ seq }) => seq),
    events.map((_, index) => index + 1),
  )
  const end = endOf(events)
  t.match(end, { outcome: 'proposed', reason: null })
  t.ok(end.used.wallMs > 0 && end.used.cpuMs > 0 && end.used.peakBytes > 0 && end.used.diskBytes > 0)

  const ref = `refs/agents/${spec.job}/proposal`
  const look = (...args: string[]) => git(args, { cwd: origin.bare })
  t.equal(await look('rev-parse', `${ref}^`), origin.base)
  t.equal(await look('show', `${ref}:greeting.txt`), 'Hello')
  t.equal(await look('ls-tree', '-r', '--name-only', ref), '.gitignore\nchecks/test.sh\ngreeting.txt\nnew')
  t.equal(
    await look('log', '-1', '--format=%an <%ae>|%s', ref),
    `Agent <agent@job.invalid>|Work of job ${spec.job}`,
  )

  t.same(await listLeft(runner), [])
  const kept = readdirSync(path.join(runner.dataDir, 'jobs', `${spec.job}-1`))
  t.same(kept.sort(), ['events.jsonl', 'spec.json'])
})

t.test(
  'the agent’s own commits are proposed, and what it left uncommitted on top',
  needsEngine,
  async (t) => {
    const origin = await serveOrigin(t, files, { token: 'right' })
    const runner = await startTestRunner(t)
    const task =
      'git checkout -q -b mine; git rm -q checks/test.sh; git commit -q -m Mine; chmod +x greeting.txt'
    const spec = specOf(origin, task)
    const events = await runner.run(spec, 'right')
    t.equal(endOf(events).outcome, 'proposed')
    t.match(
      events.find(({ type }) => type === 'collected'),
      { commits: 2 },
    )
    t.match(
      events.find(({ type }) => type === 'tested'),
      { result: 'not-run', why: /no test command/ },
    )
    const range = `${origin.base}..refs/agents/${spec.job}/proposal`
    const log = await git(['log', '--format=%s', '--raw', range], { cwd: origin.bare })
    t.match(
      log,
      /^Work left uncommitted by the agent\n\n:100644 100755 .*greeting.txt\nMine\n\n:100755 000000/,
    )
  },
)

t.test('a later attempt takes the place of the proposal before it', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const first = specOf(origin, 'echo 1 > greeting.txt')
  t.equal(endOf(await runner.run(first, 'right')).outcome, 'proposed')
  const second = { ...specOf(origin, 'echo 2 > greeting.txt', { job: first.job, attempt: 2 as never }) }
  t.equal(endOf(await runner.run(second, 'right')).outcome, 'proposed')
  t.equal(await git(['show', `refs/agents/${first.job}/proposal:greeting.txt`], { cwd: origin.bare }), '2')
})

t.test('an agent that changes nothing proposes nothing', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files)
  const runner = await startTestRunner(t)
  const events = await runner.run(specOf(origin, 'touch ignored; echo hello > greeting.txt; ls -la'))
  t.match(endOf(events), { outcome: 'no-change', reason: null })
  t.notOk(events.some(({ type }) => type === 'collected' || type === 'salvaged'))
})

t.test('a history that does not follow the base is made one commit on it', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const task =
    'git checkout -q --orphan other; git commit -q -m Other; echo more > more; git add more; git commit -q -m More'
  const spec = specOf(origin, task)
  t.equal(endOf(await runner.run(spec, 'right')).outcome, 'proposed')
  const ref = `refs/agents/${spec.job}/proposal`
  t.equal(await git(['rev-parse', `${ref}^`], { cwd: origin.bare }), origin.base)
  t.equal(await git(['show', `${ref}:more`], { cwd: origin.bare }), 'more')
})

t.test('tests that fail, or that the proposal weakened, are told apart', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const spec = specOf(origin, 'echo broken > greeting.txt; echo true > checks/test.sh; touch checks/extra', {
    test: { command: 'ls checks; sh checks/test.sh', paths: ['checks', 'absent'] },
  })
  const events = await runner.run(spec, 'right')
  t.equal(endOf(events).outcome, 'proposed')
  t.match(
    events.filter(({ type }) => type === 'tested'),
    [
      { against: 'proposal', result: 'passed', exit: 0 },
      { against: 'base-tests', result: 'failed', exit: 1, why: 'The tests ended with 1.' },
    ],
  )
  t.match(logOf(events), /extra\ntest.sh\ntest.sh\n/)
})

t.test('tests have no network, and their time is limited', needsEngine, async (t) => {
  const origin = await serveOrigin(t, files, { token: 'right' })
  const runner = await startTestRunner(t)
  const command = 'git ls-remote origin && echo reached; sleep 60'
  const spec = specOf(origin, 'echo x > x', {
    test: { command, paths: ['checks'] },
    limits: { ...smallLimits, testMs: 3000 },
  })
  const events = await runner.run(spec, 'right')
  t.match(
    events.filter(({ type }) => type === 'tested'),
    [
      { against: 'proposal', result: 'failed', exit: null, why: /time limit/ },
      { against: 'base-tests', result: 'not-run', why: /before it/ },
    ],
  )
  t.notMatch(logOf(events), /reached/)
  t.equal(endOf(events).outcome, 'proposed')
})
