import { chmodSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { commitFile, makeRepo, startForge } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

const open = async (t: Test) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  await commitFile(work, 'file', 'one\n')
  await git(['push', '-q', forge.remote('hello', forge.token), 'main'], { cwd: work, ca: forge.caFile })
  const bare = path.join(forge.dataDir, 'repos/hello.git')
  const fileOf = (id: string) => path.join(bare, 'objects', id.slice(0, 2), id.slice(2))
  return {
    forge,
    work,
    fileOf,
    idOf: (name: string) => git(['rev-parse', name], { cwd: work }),
    clone: (version: number, ...how: string[]) =>
      tryGit(['-c', `protocol.version=${version}`, 'clone', '--bare', ...how, forge.remote('hello'), 'x'], {
        cwd: tempFolder(t),
        ca: forge.caFile,
      }),
  }
}

const harm = (file: string): void => {
  chmodSync(file, 0o644)
  const bytes = readFileSync(file)
  bytes.fill(0x55, Math.floor(bytes.length / 2))
  writeFileSync(file, bytes)
}

t.test('who clones a damaged repository reads what git says of it, and so does its owner', async (t) => {
  const { forge, clone, idOf, fileOf } = await open(t)
  const blob = await idOf('HEAD:file')
  harm(fileOf(blob))
  for (const version of [0, 1, 2]) {
    for (const how of [[], ['--depth=1']]) {
      const ran = await clone(version, ...how)
      t.not(ran.code, 0)
      t.match(ran.err, `remote: fatal: loose object ${blob}`, `protocol ${version}`)
      t.match(ran.err, /remote: aborting due to possible repository corruption on the remote side/)
      t.notMatch(ran.err, /curl|TLS|RPC failed/, 'git is told, not cut off')
    }
  }
  t.match(forge.log(), /"level":50.*a git request failed/)
  t.equal((await forge.ask('/healthz')).status, 200)
  t.same(readdirSync(path.join(forge.dataDir, 'pack-cache')), [], 'half a pack is kept for nobody')
})

t.test('a commit that is gone is told to whoever wants it', async (t) => {
  const { clone, idOf, fileOf } = await open(t)
  const head = await idOf('HEAD')
  rmSync(fileOf(head))
  for (const version of [0, 1, 2]) {
    const ran = await clone(version)
    t.not(ran.code, 0)
    t.match(ran.err, `remote error: upload-pack: not our ref ${head}`)
    t.notMatch(ran.err, /curl|TLS/)
  }
})

t.test('what nobody has is refused in git’s own words', async (t) => {
  const { forge, work } = await open(t)
  for (const version of [0, 2]) {
    const ran = await tryGit(
      ['-c', `protocol.version=${version}`, 'fetch', forge.remote('hello'), 'f'.repeat(40)],
      { cwd: work, ca: forge.caFile },
    )
    t.not(ran.code, 0)
    t.match(ran.err, /remote error: upload-pack: not our ref f{40}/)
    t.notMatch(ran.err, /curl|TLS|RPC failed/)
  }
})

t.test('a push to a damaged repository is refused, and nothing moves', async (t) => {
  const { forge, work, idOf, fileOf } = await open(t)
  const before = await idOf('HEAD')
  harm(fileOf(await idOf('HEAD^{tree}')))
  await commitFile(work, 'other', 'other\n')
  const ran = await tryGit(['push', forge.remote('hello', forge.token), 'main'], {
    cwd: work,
    ca: forge.caFile,
  })
  t.not(ran.code, 0)
  t.match(ran.err, /remote rejected.*missing necessary objects/)
  const bare = path.join(forge.dataDir, 'repos/hello.git')
  t.equal(await git(['rev-parse', 'refs/heads/main'], { cwd: bare }), before)
  t.same(
    readdirSync(path.join(bare, 'objects')).filter((name) => name.startsWith('tmp_')),
    [],
  )
})
