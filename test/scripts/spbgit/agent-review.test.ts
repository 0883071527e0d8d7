import { execFileSync, spawn } from 'node:child_process'
import fs from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import t, { type Test } from 'tap'
import { commit, makeJob } from './support/jobs.ts'
import { makeSignedInHome, needTerminal, run, startOnTerminal } from './support/spbgit.ts'
import { type Answer, json, refuse, startForge } from './support/stand-in-forge.ts'

const job = '/api/v1/repos/demo/agent-jobs/42'

/** A bare repository with one commit on `main` and on `mainline`. */
const makeRepository = async (t: Test) => {
  const folder = await fs.mkdtemp(path.join(os.tmpdir(), 'spbgit-repo-'))
  t.teardown(() => fs.rm(folder, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', '-C', folder, ...args], {
      encoding: 'utf8',
    }).trim()
  git('init', '-q', '--bare', '-b', 'main')
  const tree = git('hash-object', '-wt', 'tree', '/dev/null')
  const tip = git('commit-tree', '-m', 'first', tree)
  git('update-ref', 'refs/heads/main', tip)
  git('update-ref', 'refs/heads/mainline', tip)
  return { folder, tip }
}

/** git's own upload-pack behind HTTP. */
const uploadPack =
  (folder: string): Answer =>
  (response, { method, headers, body }) => {
    const advertise = method === 'GET'
    const args = [
      'upload-pack',
      '--stateless-rpc',
      ...(advertise ? ['--http-backend-info-refs'] : []),
      folder,
    ]
    const kind = advertise ? 'advertisement' : 'result'
    response.writeHead(200, { 'content-type': `application/x-git-upload-pack-${kind}` })
    if (advertise) response.write('001e# service=git-upload-pack\n0000')
    const protocol = headers['git-protocol']
    const env = {
      PATH: process.env['PATH'],
      ...(protocol !== undefined && { GIT_PROTOCOL: String(protocol) }),
    }
    const git = spawn('git', args, { env })
    if (!advertise) git.stdin.end(body)
    git.stdout.pipe(response)
  }

const signIn = async (t: Test, approve: Answer = json(makeJob('approved'))) => {
  const { folder, tip } = await makeRepository(t)
  const forge = await startForge(t, {
    [`GET ${job}`]: json(makeJob('proposed')),
    [`POST ${job}/approve`]: approve,
    [`POST ${job}/reject`]: json(makeJob('rejected')),
    [`POST ${job}/cancel`]: refuse(409, 'wrong-state', 'Job 42 has ended already.'),
    'GET /demo.git/info/refs': uploadPack(folder),
    'POST /demo.git/git-upload-pack': uploadPack(folder),
  })
  const home = await makeSignedInHome(t, forge)
  const approved = (): unknown => {
    const asked = forge.asked.find(({ path }) => path === `${job}/approve`)
    return asked === undefined ? null : JSON.parse(asked.body)
  }
  return { forge, home, tip, approved }
}

t.test('approve sends the commit that it shows and where the branch is now', async (t) => {
  const { forge, home, tip, approved } = await signIn(t)
  const { code, stderr } = await run(t, home, ['agent', 'approve', 'demo', '42', '--branch', 'main', '--yes'])
  t.equal(code, 0)
  t.match(stderr, commit)
  t.match(stderr, `now at ${tip}`)
  t.strictSame(approved(), { commit, branch: 'main', old: tip })
  for (const { headers } of forge.asked.filter(({ path }) => path.startsWith('/demo.git'))) {
    t.equal(headers.authorization, undefined, 'reading refs needs no token')
  }
})

t.test(
  'approve onto a branch that does not exist says so, also beside one whose name begins alike',
  async (t) => {
    const { home, approved } = await signIn(t)
    const { code, stderr } = await run(t, home, [
      'agent',
      'approve',
      'demo',
      '42',
      '--branch',
      'mainl',
      '--yes',
    ])
    t.equal(code, 0)
    t.match(stderr, 'a new branch')
    t.strictSame(approved(), { commit, branch: 'mainl', old: null })
  },
)

t.test('approve can be held to the commit that was reviewed', async (t) => {
  const { home, approved } = await signIn(t)
  const reviewed = 'c'.repeat(40)
  await run(t, home, ['agent', 'approve', 'demo', '42', '--branch', 'x', '--commit', reviewed, '--yes'])
  t.match(approved(), { commit: reviewed })
})

t.test('approve changes nothing without a yes', needTerminal, async (t) => {
  const { home, approved } = await signIn(t)
  const args = ['agent', 'approve', 'demo', '42', '--branch', 'main']
  t.equal((await run(t, home, args)).code, 2, 'nobody can be asked')
  const running = startOnTerminal(t, home, args)
  await running.sees('Put this commit on main?')
  running.types('n')
  t.equal((await running.end()).code, 4)
  t.equal(approved(), null)
})

t.test('approve asks on a terminal', needTerminal, async (t) => {
  const { home, approved } = await signIn(t)
  const running = startOnTerminal(t, home, ['agent', 'approve', 'demo', '42', '--branch', 'main'])
  await running.sees('Put this commit on main?')
  running.types('y')
  t.equal((await running.end()).code, 0)
  t.match(approved(), { branch: 'main' })
})

t.test('what the forge says against it is said in its words', async (t) => {
  const { home } = await signIn(t, refuse(409, 'branch-moved', 'The branch main has moved. Look again.'))
  const { code, stdout, stderr } = await run(t, home, [
    'agent',
    'approve',
    'demo',
    '42',
    '--branch',
    'x',
    '--yes',
  ])
  t.equal(code, 1)
  t.equal(stdout, '')
  t.match(stderr, 'spbgit: The branch main has moved. Look again.\n')
  t.match((await run(t, home, ['agent', 'cancel', 'demo', '42'])).stderr, 'has ended already')
})

t.test('reject sends its reason, and needs one', async (t) => {
  const { forge, home } = await signIn(t)
  t.equal((await run(t, home, ['agent', 'reject', 'demo', '42'])).code, 2)
  t.equal((await run(t, home, ['agent', 'reject', 'demo', '42', '--reason', ' '])).code, 2)
  const { code, stdout } = await run(t, home, [
    'agent',
    'reject',
    'demo',
    '42',
    '--reason',
    'no tests',
    '--json',
  ])
  t.equal(code, 0)
  t.match(JSON.parse(stdout), { state: 'rejected' })
  t.strictSame(JSON.parse(forge.asked.at(-1)?.body ?? ''), { reason: 'no tests' })
})
