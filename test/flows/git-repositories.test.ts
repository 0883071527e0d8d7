import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { agentJob } from '../../server/protocol/api.ts'
import { commitFile, jobToken, makeRepo, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { movedRefs } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

const protocols = [0, 1, 2] as const

t.test('an empty repository is cloned, and takes its first push', async (t) => {
  const forge = await startForge(t)
  for (const version of protocols) {
    const name = `empty-${version}`
    await forge.ask('/api/v1/repos', { body: { name } })
    const folder = tempFolder(t)
    const protocol = ['-c', `protocol.version=${version}`]
    const ca = forge.caFile
    const cloned = await tryGit([...protocol, 'clone', forge.remote(name, forge.token), 'work'], {
      cwd: folder,
      ca,
    })
    t.equal(cloned.code, 0, cloned.err)
    t.match(cloned.err, /cloned an empty repository/)
    const cwd = path.join(folder, 'work')
    // Protocol 0 has no place for the name of a branch that does not exist yet.
    if (version === 2) t.equal(await git(['symbolic-ref', 'HEAD'], { cwd }), 'refs/heads/main')
    await git(['checkout', '-q', '-B', 'main'], { cwd })
    const first = await commitFile(cwd, 'first', 'first\n')
    await git([...protocol, 'push', '-q', 'origin', 'main'], { cwd, ca })
    t.same(movedRefs(forge, name), [{ ref: 'refs/heads/main', old: null, new: first }])
    await git([...protocol, 'clone', '-q', forge.remote(name), 'again'], { cwd: folder, ca })
    t.equal(await git(['rev-parse', 'HEAD'], { cwd: path.join(folder, 'again') }), first)
  }
})

t.test('a clone checks out the branch that the repository calls its own', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const bare = path.join(forge.dataDir, 'repos/hello.git')
  await git(['checkout', '-q', '-b', 'trunk/one'], { cwd: work })
  const head = await commitFile(work, 'trunk', 'trunk\n')
  await git(['push', '-q', forge.remote('hello', forge.token), 'HEAD'], { cwd: work, ca: forge.caFile })
  await git(['symbolic-ref', 'HEAD', 'refs/heads/trunk/one'], { cwd: bare })
  for (const version of protocols) {
    const folder = tempFolder(t)
    await git(['-c', `protocol.version=${version}`, 'clone', '-q', forge.remote('hello'), '.'], {
      cwd: folder,
      ca: forge.caFile,
    })
    t.equal(await git(['symbolic-ref', '--short', 'HEAD'], { cwd: folder }), 'trunk/one')
    t.equal(await git(['rev-parse', 'HEAD'], { cwd: folder }), head)
  }
  const job = await startJob(forge, 'hello', 'true')
  t.match(job.base, { ref: 'refs/heads/trunk/one', commit: head }, 'and a job starts from it')

  const next = await commitFile(work, 'trunk', 'more\n')
  await git(['push', '-q', forge.remote('hello', forge.token), 'HEAD'], { cwd: work, ca: forge.caFile })
  t.equal(await git(['rev-parse', 'HEAD'], { cwd: bare }), next)
  t.equal(await git(['symbolic-ref', 'HEAD'], { cwd: bare }), 'refs/heads/trunk/one', 'which stays a name')

  await git(['symbolic-ref', 'HEAD', 'refs/heads/absent'], { cwd: bare })
  const unborn = tempFolder(t)
  const ran = await tryGit(['clone', forge.remote('hello'), '.'], { cwd: unborn, ca: forge.caFile })
  t.equal(ran.code, 0, 'a default branch that is not there is no error')
  t.match(ran.err, /nonexistent ref|unable to checkout/)
})

t.test('a repository with SHA-256 objects is cloned, pushed to and worked on', async (t) => {
  const repos = tempFolder(t)
  await git(['init', '-q', '--bare', '-b', 'main', '--object-format=sha256', 'long.git'], { cwd: repos })
  const forge = await startForge(t, { REPOS_DIR: repos })
  const ca = forge.caFile
  const bare = path.join(repos, 'long.git')
  const work = path.join(tempFolder(t), 'work')
  await git(['init', '-q', '-b', 'main', '--object-format=sha256', work], { cwd: repos })
  const base = await commitFile(work, 'a', 'a\n')
  t.equal(base.length, 64)
  await git(['push', '-q', forge.remote('long', forge.token), 'main'], { cwd: work, ca })
  t.same(movedRefs(forge, 'long'), [{ ref: 'refs/heads/main', old: null, new: base }])

  for (const version of protocols) {
    const protocol = ['-c', `protocol.version=${version}`]
    const folder = tempFolder(t)
    await git([...protocol, 'clone', '-q', forge.remote('long', forge.token), 'whole'], { cwd: folder, ca })
    await git([...protocol, 'clone', '-q', '--depth=1', forge.remote('long'), 'shallow'], { cwd: folder, ca })
    const cwd = path.join(folder, 'whole')
    t.equal(await git(['rev-parse', '--show-object-format'], { cwd }), 'sha256')
    const branch = `refs/heads/from-${version}`
    const commit = await commitFile(cwd, 'b', `${version}\n`)
    await git([...protocol, 'push', '-q', 'origin', `HEAD:${branch}`], { cwd, ca })
    t.equal(await git(['rev-parse', branch], { cwd: bare }), commit)
    await git([...protocol, 'push', '-q', 'origin', `:${branch}`], { cwd, ca })
    t.same(movedRefs(forge, 'long').at(-1), { ref: branch, old: commit, new: null })
  }

  const job = await startJob(forge, 'long', 'true')
  t.equal(job.base.commit, base)
  const token = await jobToken(forge, 'long', job.id)
  const proposed = await commitFile(work, 'a', 'b\n')
  await git(['push', '-q', forge.remote('long', token), `HEAD:refs/agents/${job.id}/proposal`], {
    cwd: work,
    ca,
  })
  const shown = (await forge.ask(`/api/v1/repos/long/agent-jobs/${job.id}`)).read(agentJob)
  t.equal(shown.proposal?.commit, proposed)
  t.equal((await forge.ask(`/repos/long/jobs/${job.id}`)).status, 200)
  t.equal((await forge.ask('/repos/long')).status, 200)
  await git(['fsck', '--strict'], { cwd: bare })
})

const listRefs = (cwd: string, under: string): Promise<string> =>
  git(['for-each-ref', '--format=%(objectname) %(refname:lstrip=2)', under], { cwd })

t.test('names in any language are kept to the byte', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const ca = forge.caFile
  // The third and the fourth look the same: one letter, and a letter with its accent.
  const names = [
    '日本語',
    'ветка/тест',
    '\u00e9',
    'e\u0301',
    '😀',
    'עברית',
    'heads',
    "it's",
    'a"b',
    '$(x)',
    'a&b;c',
  ]
  for (const [n, name] of names.entries()) {
    writeFileSync(path.join(work, name.replace('/', '-')), `${n}\n`)
    await git(['add', '-A'], { cwd: work })
    await git(['commit', '-qm', `Ändere ${name}`], { cwd: work })
    await git(['branch', name], { cwd: work })
    await git(['tag', name], { cwd: work })
  }
  writeFileSync(path.join(work, 'new\nline\ttab'), 'x\n')
  await commitFile(work, 'last', 'last\n')
  for (const version of protocols) {
    const repo = `names-${version}`
    await forge.ask('/api/v1/repos', { body: { name: repo } })
    const protocol = ['-c', `protocol.version=${version}`]
    await git([...protocol, 'push', '-q', forge.remote(repo, forge.token), '--mirror'], { cwd: work, ca })
    t.same(
      movedRefs(forge, repo)
        .map(({ ref }) => ref)
        .sort(),
      ['main', ...names]
        .map((name) => `refs/heads/${name}`)
        .concat(names.map((name) => `refs/tags/${name}`))
        .sort(),
      'each has its record',
    )
    const folder = tempFolder(t)
    await git([...protocol, 'clone', '-q', forge.remote(repo), '.'], { cwd: folder, ca })
    t.same(readdirSync(folder).sort(), readdirSync(work).sort(), 'each has its file')
    for (const [n, name] of names.entries())
      t.equal(readFileSync(path.join(folder, name.replace('/', '-')), 'utf8'), `${n}\n`)
    const named = names.map((name) => `refs/heads/${name}:refs/fetched/${name}`)
    await git([...protocol, 'fetch', '-q', forge.remote(repo), ...named], { cwd: folder, ca })
    t.equal(await listRefs(folder, 'refs/fetched'), await listRefs(work, 'refs/tags'), 'each by its name')
    t.equal((await forge.ask(`/repos/${repo}`)).status, 200)
  }
})
