import t, { type Test } from 'tap'
import { makeJob } from './support/jobs.ts'
import { makeHome, makeSignedInHome, run } from './support/spbgit.ts'
import { type Answer, json, refuse, startForge } from './support/stand-in-forge.ts'

const repo = (name: string) => ({
  name,
  defaultBranch: 'refs/heads/main',
  empty: false,
  refused: null,
  cloneUrl: `https://forge.example/${name}.git`,
  url: `https://forge.example/repos/${name}`,
})

const signIn = async (t: Test, answers: Record<string, Answer>) => {
  const forge = await startForge(t, answers)
  const home = await makeSignedInHome(t, forge)
  return { forge, home }
}

t.test('a list is read to its last page', async (t) => {
  const { home } = await signIn(t, {
    'GET /api/v1/repos': (response, asked) => {
      const after = new URL(asked.path, 'https://forge.example').searchParams.get('after')
      const page =
        after === null
          ? { items: [repo('a')], next: 'a&b' }
          : { items: [repo(`after-${after.length}`)], next: null }
      json(page)(response, asked)
    },
  })
  const { stdout } = await run(t, home, ['repo', 'list', '--json'])
  t.match(JSON.parse(stdout), [{ name: 'a' }, { name: 'after-3' }])
  const table = await run(t, home, ['repo', 'list'])
  t.match(table.stdout, /^NAME +BRANCH +CLONE FROM\na +main +https:/)
})

t.test('a forge that gives one page for ever is left', async (t) => {
  const { home } = await signIn(t, { 'GET /api/v1/repos': json({ items: [repo('a')], next: 'a' }) })
  const { code, stderr } = await run(t, home, ['repo', 'list'])
  t.equal(code, 1)
  t.match(stderr, 'gives a page twice')
})

t.test('jobs of a repository, and one job, are shown in plain words', async (t) => {
  const { home } = await signIn(t, {
    'GET /api/v1/repos/demo/agent-jobs': json({ items: [makeJob('no-change')], next: null }),
    'GET /api/v1/repos/demo/agent-jobs/42': json(makeJob('failed', 'out-of-memory')),
  })
  t.match((await run(t, home, ['agent', 'list', 'demo'])).stdout, /^42 +no change +2026.* +npm run format$/m)
  const { code, stdout } = await run(t, home, ['agent', 'show', 'demo', '42'])
  t.equal(code, 0, 'it was shown, however the job ended')
  t.match(stdout, 'The sandbox used all of its memory')
})

t.test('an empty list says what to do, and is an empty array for a script', async (t) => {
  const { home } = await signIn(t, { 'GET /api/v1/agent-jobs': json({ items: [], next: null }) })
  const { stdout, stderr } = await run(t, home, ['agent', 'list'])
  t.equal(stdout, '')
  t.match(stderr, 'Start one')
  t.equal((await run(t, home, ['agent', 'list', '--json'])).stdout, '[]\n')
})

t.test('a repository is made and its address is the result', async (t) => {
  const { forge, home } = await signIn(t, { 'POST /api/v1/repos': json(repo('new'), 201) })
  t.equal((await run(t, home, ['repo', 'create', 'new'])).stdout, 'https://forge.example/new.git\n')
  t.equal(forge.asked.at(-1)?.body, '{"name":"new"}')
})

t.test('what is no forge, or none of this version, is said to be so', async (t) => {
  const big: Answer = (response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(Buffer.alloc(17 * 1024 * 1024, ' '))
  }
  const page: Answer = (response) =>
    response.writeHead(404, { 'content-type': 'text/html' }).end('<h1>no</h1>')
  const away: Answer = (response) => response.writeHead(302, { location: 'https://evil.example/' }).end()
  for (const [answer, said] of [
    [json({ items: [{}], next: null }), 'in a shape'],
    [json([]), 'in a shape'],
    [page, 'answered 404'],
    [away, 'is somewhere else now'],
    [big, 'more than'],
    [refuse(403, 'forbidden', 'A job token may only push.'), 'A job token may only push.'],
    [((response) => response.destroy()) satisfies Answer, 'broke'],
  ] as const) {
    await t.test(said, async (t) => {
      const { home } = await signIn(t, { 'GET /api/v1/repos': answer })
      const { code, stdout, stderr } = await run(t, home, ['repo', 'list', '--json'])
      t.equal(code, 1)
      t.equal(stdout, '')
      t.match(stderr, said)
    })
  }
})

t.test('a forge that does not run is said not to answer', async (t) => {
  const { forge, home } = await signIn(t, {})
  forge.server.close()
  const { code, stderr } = await run(t, home, ['repo', 'list'])
  t.equal(code, 1)
  t.match(stderr, `Nothing answers at ${forge.url}`)
})

t.test('wrong use is exit code 2 and points to the help; help and version are 0', async (t) => {
  const home = await makeHome(t)
  for (const args of [
    [],
    ['novel'],
    ['repo'],
    ['repo', 'create'],
    ['repo', 'create', '..'],
    ['agent', 'show', 'a', '0'],
  ]) {
    const { code, stdout } = await run(t, home, args)
    t.equal(code, 2, args.join(' '))
    t.equal(stdout, '')
  }
  const help = await run(t, home, ['agent', 'run', '--help'])
  t.equal(help.code, 0)
  t.match(help.stdout, 'Examples:')
  t.match((await run(t, home, ['--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
})
