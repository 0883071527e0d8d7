import t from 'tap'
import { z } from 'zod'
import { token } from '../../../server/protocol/api.ts'
import { makeRepo, startJob } from '../../support/forge.ts'
import { tryGit } from '../../support/git.ts'
import { signIn } from './support/signed-in.ts'

t.test('a token for one job’s refs is made, used, listed and revoked', async (t) => {
  const { forge, spbgit } = await signIn(t)
  const { work } = await makeRepo(t, forge)
  const { id } = await startJob(forge, 'hello', 'true')
  const refs = `refs/agents/${id}/*`

  const made = await spbgit('token', 'create', 'agent', '--repo', 'hello', '--refs', refs, '--expires', '30m')
  t.equal(made.code, 0, made.stderr)
  t.match(made.stdout, /^spb_job_\w+\n$/, 'stdout holds the token alone')
  t.match(made.stderr, `pushes ${refs} of hello until`)
  const push = () =>
    tryGit(['push', forge.remote('hello', made.stdout.trim()), `HEAD:refs/agents/${id}/x`], {
      cwd: work,
      ca: forge.caFile,
    })
  t.equal((await push()).code, 0)

  const listed = z.array(token).parse(JSON.parse((await spbgit('token', 'list', '--json')).stdout))
  const found = listed.find(({ label }) => label === 'agent')
  t.match(found, { kind: 'job', scope: { repo: 'hello', refs }, revokedAt: null })
  t.notMatch(JSON.stringify(listed), made.stdout.trim())
  t.match(
    (await spbgit('token', 'list')).stdout,
    new RegExp(`^${found?.id} +valid +hello refs/agents/1/\\* `, 'm'),
  )

  t.equal((await spbgit('token', 'revoke', found?.id ?? '')).code, 0)
  t.match((await spbgit('token', 'list')).stdout, new RegExp(`^${found?.id} +revoked `, 'm'))
  t.match((await push()).err, /Authentication failed|401/)
})

t.test('a personal token does what its person may, and what is half a scope is not sent', async (t) => {
  const { forge, spbgit } = await signIn(t)
  const made = await spbgit('token', 'create', 'laptop')
  t.match(made.stdout, /^spb_pat_\w+\n$/)
  t.equal((await forge.ask('/api/v1/me', { token: made.stdout.trim() })).status, 200)
  for (const wrong of [
    ['--repo', 'hello'],
    ['--refs', 'refs/agents/1/*'],
    ['--expires', '1h'],
    ['--repo', 'hello', '--refs', 'refs/heads/*'],
    ['--repo', 'hello', '--refs', 'refs/agents/1/*', '--expires', 'soon'],
  ])
    t.equal((await spbgit('token', 'create', 'x', ...wrong)).code, 2, wrong.join(' '))
  const long = ['--repo', 'hello', '--refs', 'refs/agents/1/*', '--expires', '3h']
  t.equal((await spbgit('token', 'create', 'x', ...long)).code, 1)
  t.equal((await spbgit('token', 'revoke', '01hzy3k9q2w4e6r8t0m5n7p9xz')).code, 1, 'there is no such token')
})
