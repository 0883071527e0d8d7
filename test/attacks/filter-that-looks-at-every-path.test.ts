import path from 'node:path'
import t from 'tap'
import { makeRepo, startForge } from '../support/forge.ts'
import { tryGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

t.test('a partial clone by a sparse pattern is refused, and the cheap filters are served', async (t) => {
  const forge = await startForge(t)
  await makeRepo(t, forge)
  const into = tempFolder(t)
  const clone = (filter: string) =>
    tryGit(['clone', '-q', '--bare', `--filter=${filter}`, forge.remote('hello'), path.join(into, filter)], {
      cwd: into,
      ca: forge.caFile,
    })
  const refused = await clone('sparse:oid=main:README.md')
  t.not(refused.code, 0)
  t.match(refused.err, /filter 'sparse:oid' not supported/)
  for (const filter of [
    'blob:none',
    'blob:limit=1k',
    'tree:0',
    'object:type=commit',
    'combine:blob:none+tree:3',
  ]) {
    t.equal((await clone(filter)).code, 0, filter)
  }
})
