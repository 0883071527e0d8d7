import t from 'tap'
import { makeRepo, startForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'

t.test(
  'guessing tokens ends in 429 with a time to wait, also for a right one, and nobody else notices',
  async (t) => {
    const forge = await startForge(t, { FAILED_SIGN_INS: '5' })
    const guess = () => forge.ask('/api/v1/me', { token: 'spb_pat_guess' })
    const statuses: number[] = []
    for (let i = 0; i < 8; i += 1) statuses.push((await guess()).status)
    t.same(statuses, [401, 401, 401, 401, 401, 429, 429, 429])
    const answer = await guess()
    t.match(answer.text, /"code":"too-many-requests"/)
    t.ok(Number(answer.headers['retry-after']) > 0)
    const viaGit = await forge.ask('/absent.git/info/refs?service=git-receive-pack', {
      token: 'spb_pat_guess',
    })
    t.equal(viaGit.status, 429)
    t.match(viaGit.headers['content-type'], /^text\/plain/)
    t.equal((await forge.ask('/', { token: null })).status, 200, 'those without a token read on')
  },
)

t.test('requests of one address are bounded', async (t) => {
  const forge = await startForge(t, { REQUESTS_PER_ADDRESS: '20' })
  const statuses = await Promise.all(
    Array.from({ length: 30 }, async () => (await forge.ask('/healthz')).status),
  )
  t.ok(statuses.filter((status) => status === 429).length >= 9)
  t.ok(statuses.includes(200))
})

t.test('a push with too many refs, objects or bytes is refused whole', async (t) => {
  const forge = await startForge(t, { PUSH_MAX_REFS: '3', PUSH_MAX_OBJECTS: '10', PUSH_MAX_BYTES: '4096' })
  const { work } = await makeRepo(t, forge)
  const push = (...refspecs: string[]) =>
    tryGit(['push', forge.remote('hello', forge.token), ...refspecs], { cwd: work, ca: forge.caFile })
  const refs = await push(...['a', 'b', 'c', 'd'].map((name) => `HEAD:refs/heads/${name}`))
  t.match(refs.err, /moves more than 3 refs/)
  for (let i = 0; i < 6; i += 1) await git(['commit', '-q', '--allow-empty', '-m', `${i}`], { cwd: work })
  t.equal((await push('HEAD:refs/heads/few')).code, 0)
  for (let i = 0; i < 11; i += 1)
    await git(['commit', '-q', '--allow-empty', '-m', `more ${i}`], { cwd: work })
  t.match((await push('HEAD:refs/heads/many')).err, /more than 10 objects/)
  const noise = Array.from({ length: 2000 }, () => Math.random()).join('\n')
  const blob = await git(['hash-object', '-w', '--stdin'], { cwd: work, input: noise })
  const large = await push(`${blob}:refs/tags/noise`)
  t.not(large.code, 0)
  const left = await git(['ls-remote', forge.remote('hello')], { cwd: work, ca: forge.caFile })
  t.same(
    left.split('\n').map((line) => line.split('\t')[1]),
    ['HEAD', 'refs/heads/few', 'refs/heads/main'],
  )
})

t.test('clones beyond what is served at once wait for their turn, and all are served', async (t) => {
  const forge = await startForge(t, { GIT_PROCESSES: '2', GIT_PROCESSES_PER_REPO: '1' })
  const { work } = await makeRepo(t, forge)
  const codes = await Promise.all(
    Array.from(
      { length: 8 },
      async () => (await tryGit(['ls-remote', forge.remote('hello')], { cwd: work, ca: forge.caFile })).code,
    ),
  )
  t.same(new Set(codes), new Set([0]))
})
