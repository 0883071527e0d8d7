import t, { type Test } from 'tap'
import { taskMaxBytes } from '../../../server/protocol/api.ts'
import { commit, log, makeJob, openStream } from './support/jobs.ts'
import { makeSignedInHome, needTerminal, run, start, startOnTerminal } from './support/spbgit.ts'
import { type Answer, inTurn, json, refuse, startForge } from './support/stand-in-forge.ts'

const jobs = '/api/v1/repos/demo/agent-jobs'
const runDemo = ['agent', 'run', 'demo', 'npm run format']

/** A forge whose job sends these events and ends in `ended`, and a home that is signed in to it. */
const signIn = async (t: Test, events: Answer, ended = makeJob('proposed')) => {
  const forge = await startForge(t, {
    [`POST ${jobs}`]: json(makeJob('queued'), 201),
    [`GET ${jobs}/42`]: json(ended),
    [`GET ${jobs}/42/events`]: events,
    [`POST ${jobs}/42/cancel`]: json(makeJob('cancelled', 'cancelled')),
  })
  const home = await makeSignedInHome(t, forge)
  return { forge, home }
}

const proposes: Answer = (response) => {
  const stream = openStream(response)
  stream.state('running')
  stream.job(1, { type: 'step', step: 'agent', status: 'started' })
  stream.job(2, log('one\ntw'))
  stream.job(3, log('o\n'))
  stream.job(4, { type: 'step', step: 'agent', status: 'ended', exit: 0, ms: 1200 })
  stream.state('proposed')
  stream.end()
}

t.test('stdout is the log and, last, the page; everything else is on stderr', async (t) => {
  const { home } = await signIn(t, proposes)
  const { code, stdout, stderr } = await run(t, home, runDemo)
  t.equal(code, 0)
  t.equal(stdout, `one\ntwo\n${makeJob('proposed').url}\n`)
  t.match(stderr, `proposes ${commit}`)
  t.match(stderr, 'spbgit agent approve demo 42')
})

t.test('with --json every event is a line and the job is the last', async (t) => {
  const { home } = await signIn(t, proposes)
  const { code, stdout } = await run(t, home, [...runDemo, '--json'])
  t.equal(code, 0)
  const lines: unknown[] = stdout
    .trimEnd()
    .split('\n')
    .map((line): unknown => JSON.parse(line))
  t.equal(lines.length, 7)
  t.match(lines[0], { attempt: 1, state: 'running' })
  t.match(lines[2], { seq: 2, type: 'log', text: 'one\ntw' })
  t.strictSame(lines[6], makeJob('proposed'))
})

t.test('how the job ended is the exit code, and the reason is explained', async (t) => {
  for (const [job, code, said] of [
    [makeJob('failed', 'timeout'), 1, 'ran past its time limit'],
    [makeJob('no-change'), 3, 'no change'],
    [makeJob('cancelled', 'cancelled'), 4, 'cancelled'],
  ] as const) {
    await t.test(job.state, async (t) => {
      const ends: Answer = (response) => openStream(response).state(job.state, job.reason)
      const { home } = await signIn(t, ends, job)
      const ended = await run(t, home, runDemo)
      t.equal(ended.code, code)
      t.match(ended.stderr, said)
      t.equal(ended.stdout, `${job.url}\n`)
    })
  }
})

t.test('a connection that breaks is resumed after the last event, and nothing is shown twice', async (t) => {
  const breaks: Answer = (response) => {
    const stream = openStream(response)
    stream.job(1, log('first\n'))
    stream.job(2, log('second\n'))
    setImmediate(() => stream.breakOff())
  }
  const resumes: Answer = (response, { headers }) => {
    const stream = openStream(response)
    if (headers['last-event-id'] !== '1.2') stream.job(3, log('resumed at the wrong place\n'))
    stream.job(3, log('third\n'))
    stream.state('proposed')
  }
  const { forge, home } = await signIn(t, inTurn(breaks, refuse(503, 'unavailable', 'Starting.'), resumes))
  const { code, stdout, stderr } = await run(t, home, runDemo)
  t.equal(code, 0)
  t.equal(stdout, `first\nsecond\nthird\n${makeJob('proposed').url}\n`)
  t.match(stderr, 'The connection was lost')
  t.match(stderr, 'is there again')
  t.equal(forge.asked.filter(({ path }) => path.endsWith('/events')).length, 3)
})

t.test('a stream that ends before the job does is taken up again', async (t) => {
  const ends: Answer = (response) => {
    const stream = openStream(response)
    stream.state('running')
    stream.end()
  }
  const { home } = await signIn(t, inTurn(ends, proposes))
  t.equal((await run(t, home, runDemo)).code, 0)
})

t.test('a job that is gone is not waited for', async (t) => {
  const { home } = await signIn(t, refuse(404, 'not-found', 'There is no job 42.'))
  const { code, stderr } = await run(t, home, runDemo)
  t.equal(code, 1)
  t.match(stderr, 'There is no job 42.')
})

t.test('an event in an unknown shape ends it with a sentence, not with a stack', async (t) => {
  const { home } = await signIn(t, (response) => openStream(response).job(1, { type: 'novel' }))
  const { code, stderr } = await run(t, home, runDemo)
  t.equal(code, 1)
  t.match(stderr, 'in a shape that this spbgit does not know')
  t.notMatch(stderr, /^ +at /m)
})

t.test('Ctrl-C leaves the job running and says how to cancel it', async (t) => {
  const { forge, home } = await signIn(t, (response) => openStream(response).job(1, log('working\n')))
  const running = start(t, home, runDemo)
  await running.sees('working')
  running.interrupt()
  const { code, stderr } = await running.end()
  t.equal(code, 130)
  t.match(stderr, 'spbgit agent cancel demo 42')
  t.notOk(forge.asked.some(({ path }) => path.endsWith('/cancel')))
})

t.test('Ctrl-C also leaves while the forge is away', async (t) => {
  const { home } = await signIn(t, refuse(503, 'unavailable', 'Starting.'))
  const running = start(t, home, runDemo)
  await running.sees('The connection was lost')
  running.interrupt()
  t.equal((await running.end()).code, 130)
})

t.test(
  'a hostile log cannot command the terminal, and the progress line stays below it',
  needTerminal,
  async (t) => {
    const hostile: Answer = (response) => {
      const stream = openStream(response)
      stream.state('running')
      stream.job(1, { type: 'step', step: 'agent', status: 'started' })
      stream.job(2, log('\x1b]0;owned\x07\x1b[2Jclean\x9b5n\u202e\n\x1b]52;c;'))
      stream.job(3, log('aGk=\x07done\n'))
      stream.state('proposed')
    }
    const { home } = await signIn(t, hostile)
    const running = startOnTerminal(t, home, runDemo)
    const { code, stdout } = await running.end()
    t.equal(code, 0)
    t.match(stdout, 'clean\r\n')
    t.match(stdout, 'done\r\n')
    for (const gone of ['owned', 'aGk', '\x1b[2J', '\x1b]', '\x9b', '\u202e'])
      t.notOk(stdout.includes(gone), gone)
    t.match(stdout, /Job 42: agent, 0:0\d/)
  },
)

t.test('with --detach it says where the job is and does not wait', async (t) => {
  const { forge, home } = await signIn(t, proposes)
  const { code, stdout } = await run(t, home, [...runDemo, '--detach', '--base', 'next'])
  t.equal(code, 0)
  t.equal(stdout, `${makeJob('queued').url}\n`)
  const [asked] = forge.asked.filter(({ method }) => method === 'POST')
  t.strictSame(JSON.parse(asked?.body ?? ''), { task: 'npm run format', base: 'next' })
})

t.test('a task comes from stdin, whole, with -', async (t) => {
  const { forge, home } = await signIn(t, proposes)
  t.equal((await run(t, home, ['agent', 'run', 'demo', '-', '--detach'], 'first\nsecond é\n')).code, 0)
  t.strictSame(JSON.parse(forge.asked.at(-1)?.body ?? ''), { task: 'first\nsecond é\n' })
})

t.test('a task that the forge would refuse is a usage error', async (t) => {
  const { forge, home } = await signIn(t, proposes)
  const before = forge.asked.length
  for (const input of ['', ' \n', 'x'.repeat(taskMaxBytes + 1)]) {
    t.equal((await run(t, home, ['agent', 'run', 'demo', '-'], input)).code, 2)
  }
  t.equal((await run(t, home, ['agent', 'run', '../x', 'task'])).code, 2)
  t.equal((await run(t, home, ['agent', 'run', 'demo', 'task', '--base', 'a..b'])).code, 2)
  t.equal(forge.asked.length, before)
})
