import t, { type Test } from 'tap'
import { attemptSpecOf } from '../../../server/jobs/attempt-spec.ts'
import { openRunnerClient } from '../../../server/jobs/runner-client.ts'
import { jobId } from '../../../server/protocol/ids.ts'
import type { JobEvent } from '../../../server/protocol/runner.ts'
import { done, event, first, openJobs } from './jobs.ts'
import { type Handler, secret, startRunner } from './stand-in-runner.ts'

const job = jobId.parse(42)
const never = new AbortController().signal

const answering = async (t: Test, handler: Handler) => {
  const runner = await startRunner(t, handler)
  return { ...runner, client: openRunnerClient(runner) }
}

const follow = async (t: Test, handler: Handler, stop = never): Promise<JobEvent[]> => {
  const { client } = await answering(t, handler)
  const events: JobEvent[] = []
  for await (const one of client.follow(job, first, 0, stop)) events.push(one)
  return events
}

const line = (seq: number): string => `${JSON.stringify(event(seq, done))}\n`

t.test(
  'an attempt is started with all that is fixed in its job, by the shared secret, with nothing secret of the forge',
  async (t) => {
    const { db, add } = await openJobs(t)
    const row = await db
      .selectFrom('jobs')
      .selectAll()
      .where('id', '=', await add())
      .executeTakeFirstOrThrow()
    const spec = attemptSpecOf(row, first, { url: 'https://localhost', ca: null })
    let body = ''
    let authorization: string | undefined
    const { client, asked } = await answering(t, (request, response) => {
      authorization = request.headers.authorization
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => response.writeHead(201).end())
    })
    await client.start(spec)
    t.same(asked, [`PUT /v1/jobs/${row.id}/1`])
    t.equal(authorization, `Bearer ${secret}`)
    t.same(JSON.parse(body), spec)
  },
)

t.test('what a runner answers instead is one of three errors', async (t) => {
  let status = 200
  const { client } = await answering(t, (_request, response) => void response.writeHead(status).end('why'))
  for (const [given, code] of [
    [404, 'unknown-attempt'],
    [401, 'runner-refused'],
    [403, 'runner-refused'],
    [409, 'runner-refused'],
    [302, 'runner-unreachable'],
    [500, 'runner-unreachable'],
    [503, 'runner-unreachable'],
  ] as const) {
    status = given
    await t.rejects(client.acknowledge(job, first), { code }, String(given))
  }
})

t.test('a runner that is not there, or hangs up, is unreachable', async (t) => {
  const { client } = await answering(t, (request) => void request.socket.destroy())
  await t.rejects(client.cancel(job, first), { code: 'runner-unreachable' })
  await t.rejects(openRunnerClient({ url: 'http://127.0.0.1:1', secret }).cancel(job, first), {
    code: 'runner-unreachable',
  })
})

t.test('a redirect is not followed: the secret stays with the runner', async (t) => {
  let leaked = false
  const { url } = await answering(t, (_request, response) => {
    leaked = true
    response.end()
  })
  const { client } = await answering(
    t,
    (_request, response) => void response.writeHead(307, { location: url }).end(),
  )
  await t.rejects(client.giveToken(job, first, 'token'), { code: 'runner-unreachable' })
  t.equal(leaked, false)
})

t.test('events come whatever chunks they come in, and blank lines are nothing', async (t) => {
  const bytes = Buffer.from(
    `\n${line(1)}\n\n${JSON.stringify(event(2, { type: 'log', step: 'agent', stream: 'out', text: 'ü€😀' }))}\n`,
  )
  const events = await follow(t, (_request, response) => {
    for (let at = 0; at < bytes.length; at += 7) response.write(bytes.subarray(at, at + 7))
    response.end()
  })
  t.match(events, [{ seq: 1 }, { seq: 2, text: 'ü€😀' }])
})

t.test('garbage, and events of no known shape, are an error after what was good', async (t) => {
  for (const bad of [
    'garbage\n',
    '{}\n',
    `${JSON.stringify({ ...event(2, done), type: 'unheard-of' })}\n`,
    'null\n',
  ]) {
    const { client } = await answering(t, (_request, response) => void response.end(line(1) + bad))
    const seen: number[] = []
    const followed = (async () => {
      for await (const { seq } of client.follow(job, first, 0, never)) seen.push(seq)
    })()
    await t.rejects(followed, { code: 'runner-unreachable' }, bad)
    t.same(seen, [1])
  }
})

t.test('a line that is cut off by the end of the stream is not an event', async (t) => {
  t.same(await follow(t, (_request, response) => void response.end(line(1).slice(0, -2))), [])
})

t.test('a line without an end is refused before it fills the memory', async (t) => {
  let sent = 0
  const endless: Handler = (_request, response) => {
    const more = (): void => {
      do sent += 65_536
      while (!response.destroyed && response.write('x'.repeat(65_536)))
    }
    response.on('drain', more)
    more()
  }
  await t.rejects(follow(t, endless), { code: 'runner-refused' })
  t.ok(sent < 64 * 1024 * 1024)
})

t.test('a stream that breaks is an error, one that ends is an end, one without a body as well', async (t) => {
  const breaking: Handler = (_request, response) => {
    response.write(line(1))
    setImmediate(() => response.destroy())
  }
  await t.rejects(follow(t, breaking), { code: 'runner-unreachable' })
  t.same(await follow(t, (_request, response) => void response.end()), [])
  t.same(await follow(t, (_request, response) => void response.writeHead(204).end()), [])
})

t.test('following ends when it is told to, also while the runner is silent', async (t) => {
  const stop = new AbortController()
  const silent: Handler = (_request, response) => {
    response.flushHeaders()
    setImmediate(() => stop.abort())
  }
  await t.rejects(follow(t, silent, stop.signal), { code: 'runner-unreachable' })
})

t.test('whoever stops listening in the middle closes the connection', async (t) => {
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  const { client } = await answering(t, (_request, response) => {
    response.on('close', resolve)
    response.write(line(1) + line(2))
  })
  for await (const { seq } of client.follow(job, first, 0, never)) {
    t.equal(seq, 1)
    break
  }
  await closed
})

t.test(
  'the salvaged patch comes byte by byte as it is, and a larger one than is kept does not',
  async (t) => {
    const patch = Buffer.from([0, 255, 10, 13, 200])
    const { client } = await answering(t, (_request, response) => void response.end(patch))
    t.ok((await client.salvaged(job, first)).equals(patch))
    const { client: large } = await answering(t, (_request, response) => {
      const chunk = Buffer.alloc(1024 * 1024)
      const more = (): void => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', more)
      more()
    })
    await t.rejects(large.salvaged(job, first), { code: 'runner-refused' })
    const { client: none } = await answering(t, (_request, response) => void response.writeHead(204).end())
    t.equal((await none.salvaged(job, first)).length, 0)
  },
)
