import fs from 'node:fs'
import path from 'node:path'
import isomorphic from 'isomorphic-git'
import t from 'tap'
import { forgeUrl } from '../../scripts/spbgit/forge/address.ts'
import { gitHttp } from '../../scripts/spbgit/forge/git-http.ts'
import { agentJob } from '../../server/protocol/api.ts'
import { jobToken, makeRepo, startForge, startJob } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

t.test('isomorphic-git clones without an account and pushes a proposal with a job’s token', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  const dir = tempFolder(t)
  const http = gitHttp({ url: forgeUrl.parse(forge.url), ca: forge.ca })
  const url = forge.remote('hello')

  await isomorphic.clone({ fs, http, dir, url, singleBranch: true })
  t.equal(fs.readFileSync(path.join(dir, 'README.md'), 'utf8'), '# hello\n')

  fs.writeFileSync(path.join(dir, 'second.txt'), 'from another client\n')
  await isomorphic.add({ fs, dir, filepath: 'second.txt' })
  const author = { name: 'Ida', email: 'ida@example.org' }
  const commit = await isomorphic.commit({ fs, dir, message: 'Add second.txt', author })
  const push = (remoteRef: string) =>
    isomorphic.push({
      fs,
      http,
      dir,
      url,
      ref: 'main',
      remoteRef,
      onAuth: () => ({ username: 'x', password: token }),
      onAuthFailure: () => ({ cancel: true }),
    })
  await t.rejects(push('refs/heads/main'), { code: 'GitPushError' }, 'a branch is refused')
  const pushed = await push(`refs/agents/${job.id}/proposal`)
  t.equal(pushed.ok, true)

  const shown = (await forge.ask(`/api/v1/repos/hello/agent-jobs/${job.id}`)).read(agentJob)
  t.equal(shown.proposal?.commit, commit)
  const seen = await git(['ls-remote', url, 'refs/agents/*'], { cwd: work, ca: forge.caFile })
  t.equal(seen, `${commit}\trefs/agents/${job.id}/proposal\n${commit}\trefs/agents/${job.id}/r1`)
})
