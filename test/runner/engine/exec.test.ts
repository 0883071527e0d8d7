import t, { type Test } from 'tap'
import type { Engine } from '../../../runner/engine/engine.ts'
import { type RunOptions, runExec } from '../../../runner/engine/exec.ts'
import { users } from '../../../runner/engine/specs/users.ts'
import { watchContainer } from '../../../runner/engine/watch.ts'
import { deriveImage, startTestContainer, testEngine } from '../../support/container.ts'
import { needsEngine } from '../../support/engine.ts'

type Ran = { exit: number | null; out: string; err: string }

const shell =
  (engine: Engine, id: string) =>
  async (script: string, options: Partial<RunOptions> = {}): Promise<Ran> => {
    const ran = { out: '', err: '' }
    const exit = await runExec(
      engine,
      id,
      { argv: ['/bin/sh', '-c', script], user: users.agent, cwd: '/', env: { PATH: '/usr/bin:/bin' } },
      {
        signal: AbortSignal.timeout(30_000),
        onOutput: ({ stream, bytes }) => {
          ran[stream] += bytes.toString()
        },
        ...options,
      },
    )
    return { exit, ...ran }
  }

const open = async (t: Test, ...change: Parameters<typeof startTestContainer>[2][]) => {
  const engine = testEngine()
  const id = await startTestContainer(t, engine, ...change)
  return { engine, id, run: shell(engine, id) }
}

t.test('a program’s input, streams and exit code arrive', needsEngine, async (t) => {
  const { run } = await open(t)
  t.same(await run('cat; echo oops >&2; exit 7', { input: ['one\n', 'two\n'] }), {
    exit: 7,
    out: 'one\ntwo\n',
    err: 'oops\n',
  })
})

t.test(
  'a program that ends without reading megabytes of input is told by its exit code',
  needsEngine,
  async (t) => {
    const { run } = await open(t)
    const input = Array.from({ length: 200 }, () => Buffer.alloc(65_536))
    t.match(await run('echo early; exit 3', { input }), { exit: 3, out: 'early\n' })
  },
)

t.test('a program that ends before its input does is not waited for', needsEngine, async (t) => {
  const { run } = await open(t)
  const input = async function* () {
    yield 'done'
    await new Promise(() => {})
  }
  t.match(await run('head -c 4', { input: input() }), { exit: 0, out: 'done' })
})

t.test('an input that fails is the run’s failure', needsEngine, async (t) => {
  const { run } = await open(t)
  const input = async function* () {
    yield 'one\n'
    throw new Error('the disk broke')
  }
  await t.rejects(run('cat', { input: input() }), { message: 'the disk broke' })
})

t.test('a program whose child keeps its output open still ends', needsEngine, async (t) => {
  const { run } = await open(t)
  t.match(await run('sleep 100 & echo started'), { exit: 0, out: 'started\n' })
})

t.test('a slow reader stops the program and loses nothing', needsEngine, async (t) => {
  const { run } = await open(t)
  let size = 0
  await run('head -c 20000000 /dev/zero', {
    onOutput: async ({ bytes }) => {
      size += bytes.length
      await new Promise(setImmediate)
    },
  })
  t.equal(size, 20_000_000)
})

t.test('a run that is stopped rejects with the reason', needsEngine, async (t) => {
  const { run } = await open(t)
  const stop = new AbortController()
  const running = run('echo ready; sleep 100', {
    signal: stop.signal,
    onOutput: () => stop.abort(new Error('cancelled')),
  })
  await t.rejects(running, { message: 'cancelled' })
})

t.test(
  'nothing of an image’s environment, entry point, user or health check is used',
  needsEngine,
  async (t) => {
    const engine = testEngine()
    const image = await deriveImage(t, engine, [
      'ENV SECRET=leaked LD_PRELOAD=/nowhere.so',
      'ENTRYPOINT ["false"]',
      'USER root',
      'WORKDIR /root',
      'HEALTHCHECK CMD touch /work/checked',
    ])
    const { run } = await open(t, { image })
    const { out } = await run('/usr/bin/env; id -u; pwd')
    t.same(out.trim().split('\n').sort(), ['/', '1000', 'PATH=/usr/bin:/bin', 'PWD=/'].sort())
  },
)

t.test(
  'the sandbox has no network, no names of the host, and a root that is read-only',
  needsEngine,
  async (t) => {
    const { run } = await open(t)
    const { out } = await run('ls /sys/class/net; cat /etc/resolv.conf; hostname; touch /x || echo refused')
    t.equal(out, 'lo\nsearch .\nnameserver 127.0.0.1\nsandbox\nrefused\n'.replace('search .\n', ''))
  },
)

t.test('rights cannot be raised and namespaces cannot be made', needsEngine, async (t) => {
  const { run } = await open(t)
  const { out } = await run('grep -E "^(NoNewPrivs|Seccomp|Cap(Eff|Prm|Bnd|Inh|Amb)):" /proc/self/status')
  t.same(out.replaceAll('\t', ' ').trim().split('\n').sort(), [
    'CapAmb: 0000000000000000',
    'CapBnd: 0000000000000000',
    'CapEff: 0000000000000000',
    'CapInh: 0000000000000000',
    'CapPrm: 0000000000000000',
    'NoNewPrivs: 1',
    'Seccomp: 2',
  ])
  t.not((await run('unshare --user true')).exit, 0)
  t.not((await run('kill -9 1')).exit, 0, 'the clock cannot be stopped')
})

t.test('only the internet’s sockets and local ones can be opened', needsEngine, async (t) => {
  const { run } = await open(t)
  const script = `
import socket
for family, kind, protocol in [(1,1,0),(2,1,0),(2,2,0),(10,1,6),(16,3,0),(40,1,0),(16,3,12),(2,1,132),(2,1,262),(17,3,0),(38,5,0)]:
    try:
        socket.socket(family, kind, protocol).close()
        print(family, protocol, 'open')
    except OSError as error:
        print(family, protocol, error.errno)
`
  const { out } = await run(`python3 -c "${script}"`)
  t.same(out.trim().split('\n'), [
    '1 0 open',
    '2 0 open',
    '2 0 open',
    '10 6 open',
    '16 0 open',
    '40 0 1',
    '16 12 1',
    '2 132 1',
    '2 262 1',
    '17 0 1',
    '38 0 1',
  ])
})

t.test('want of memory is told by the engine’s events', needsEngine, async (t) => {
  const { engine, id, run } = await open(t, { memoryBytes: 64 * 1024 * 1024 })
  using watch = await watchContainer(engine, id)
  const { exit } = await run('python3 -c "bytearray(300000000)"')
  t.equal(exit, 137)
  t.equal(await watch.first, 'out-of-memory')
})

t.test('the end of a container is told by the engine’s events', needsEngine, async (t) => {
  const { engine, id } = await open(t, { lifeMs: 500 })
  using watch = await watchContainer(engine, id)
  t.equal(await watch.first, 'died')
})
