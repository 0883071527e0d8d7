import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { agentJob, listOf, repo } from '../../server/protocol/api.ts'
import { makeRepo, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

/** A bare repository with one commit on `main`, as another tool may have left it. */
const plant = (folder: string, name: string): string => {
  const at = path.join(folder, `${name}.git`)
  const run = (...args: string[]): string =>
    execFileSync('git', args, { cwd: at, env: { PATH: process.env['PATH'] ?? '' }, input: '' })
      .toString()
      .trim()
  mkdirSync(at)
  run('init', '-q', '--bare', '-b', 'main', '.')
  const tree = run('mktree')
  const person = ['-c', 'user.name=Tess', '-c', 'user.email=tess@example.org']
  run('update-ref', 'refs/heads/main', run(...person, 'commit-tree', '-m', 'Begin', tree))
  return at
}

const broken: Record<string, (at: string) => void> = {
  'head-of-garbage': (at) => writeFileSync(path.join(at, 'HEAD'), '\0\0\0'),
  'head-is-a-folder': (at) => {
    rmSync(path.join(at, 'HEAD'))
    mkdirSync(path.join(at, 'HEAD'))
  },
  'config-of-garbage': (at) => writeFileSync(path.join(at, 'config'), '[core\nbare = '),
  'config-is-a-folder': (at) => {
    rmSync(path.join(at, 'config'))
    mkdirSync(path.join(at, 'config'))
  },
  'config-from-the-future': (at) =>
    writeFileSync(path.join(at, 'config'), '[core]\nrepositoryformatversion = 99\nbare = true\n'),
  'packed-refs-of-garbage': (at) => writeFileSync(path.join(at, 'packed-refs'), 'garbage\n'.repeat(10)),
  'no-objects': (at) => rmSync(path.join(at, 'objects'), { recursive: true }),
  'objects-are-a-loop': (at) => {
    rmSync(path.join(at, 'objects'), { recursive: true })
    symlinkSync('objects', path.join(at, 'objects'))
  },
}

t.test('a broken repository costs neither the start nor the list of the others', async (t) => {
  const folder = tempFolder(t)
  plant(folder, 'sound')
  for (const [name, harm] of Object.entries(broken)) harm(plant(folder, name))
  symlinkSync('/nonexistent', path.join(folder, 'nowhere.git'))
  symlinkSync('.', path.join(folder, 'loop.git'))
  writeFileSync(path.join(folder, 'file.git'), '')
  const forge = await startForge(t, { REPOS_DIR: folder })
  const listed = await forge.ask('/api/v1/repos', { token: null })
  t.equal(listed.status, 200)
  const { items } = listed.read(listOf(repo))
  t.match(
    items.find(({ name }) => name === 'sound'),
    { refused: null, empty: false },
  )
  t.equal((await forge.ask('/', { token: null })).status, 200)
  for (const { name, refused } of items) {
    const page = await forge.ask(`/repos/${name}`, { token: null })
    t.equal(page.status, 200, name)
    if (refused !== null) {
      const job = await forge.ask(`/api/v1/repos/${name}/agent-jobs`, { body: { task: 'true' } })
      t.not(job.status, 201, `no job in ${name}`)
    }
  }
  await startJob(forge, 'sound', 'true')
})

t.test('what a repository brings along to be run is not run, whatever the forge does in it', async (t) => {
  const folder = tempFolder(t)
  const trap = path.join(tempFolder(t), 'sprung')
  const at = plant(folder, 'trap')
  const script = `#!/bin/sh\necho "$0" >> ${trap}\n`
  for (const hook of ['pre-receive', 'update', 'post-update', 'reference-transaction', 'proc-receive']) {
    writeFileSync(path.join(at, 'hooks', hook), script)
    chmodSync(path.join(at, 'hooks', hook), 0o755)
  }
  const forge = await startForge(t, { REPOS_DIR: folder })
  const { work } = await makeRepo(t, forge, 'other')
  await git(['pull', '-q', '--rebase', forge.remote('trap'), 'main'], { cwd: work, ca: forge.caFile })
  await git(['push', '-q', forge.remote('trap', forge.token), 'HEAD:refs/heads/new'], {
    cwd: work,
    ca: forge.caFile,
  })
  t.notOk(existsSync(trap), 'none of its own hooks')

  const inner = plant(folder, 'inner')
  execFileSync('git', ['init', '-q', '--bare', path.join(inner, '.git')])
  execFileSync('git', ['-C', path.join(inner, '.git'), 'config', 'core.alternateRefsCommand', script])
  writeFileSync(path.join(inner, 'config'), '[core]\nbare = true\nrepositoryformatversion = 0\n')
  const before = await tryGit(['ls-remote', forge.remote('inner')], { cwd: work, ca: forge.caFile })
  t.ok(before.code !== 0 || /refs\/heads\/main/.test(before.out), 'its outer self, or nothing')

  const hostile = plant(folder, 'hostile')
  writeFileSync(path.join(hostile, 'config'), `[core]\nbare = true\n[include]\npath = ${trap}.config\n`)
  const refused = [
    await forge.ask('/api/v1/repos/hostile/agent-jobs', { body: { task: 'true' } }),
    await forge.ask('/hostile.git/info/refs?service=git-upload-pack', { token: null }),
  ]
  for (const answer of refused) t.match(answer.text, /include\.path/)
  t.notOk(existsSync(trap))
})

t.test('more refs than a page holds, with names as long as they can be, do not stop the start', async (t) => {
  const forge = await startForge(t)
  const { base } = await makeRepo(t, forge)
  await startJob(forge, 'hello', 'true')
  const folders = `${'x'.repeat(200)}/`.repeat(4)
  const refs = Array.from({ length: 20_000 }, (_, i) => `${base} refs/agents/1/${folders}${i + 100_000}\n`)
  const at = path.join(forge.dataDir, 'repos/hello.git')
  writeFileSync(
    path.join(at, 'packed-refs'),
    `# pack-refs with: peeled fully-peeled sorted \n${refs.join('')}`,
  )
  await forge.kill('SIGKILL')
  await forge.start()
  t.equal((await forge.ask('/repos/hello', { token: null })).status, 200)
  t.equal((await startJob(forge, 'hello', 'true')).id, 2)
  const cancelled = await forge.ask('/api/v1/repos/hello/agent-jobs/1/cancel', { method: 'POST' })
  t.equal(cancelled.status, 202)
  t.equal((await forge.ask('/api/v1/repos/hello/agent-jobs/1/refs', { method: 'DELETE' })).status, 204)
  t.equal((await forge.ask('/api/v1/repos/hello/agent-jobs/1')).read(agentJob).state, 'cancelled')
  t.equal(await git(['for-each-ref', 'refs/agents'], { cwd: at }), '', 'and its owner can delete them')
})
