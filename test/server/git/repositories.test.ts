import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { openRepositories } from '../../../server/git/repositories.ts'
import { ulid } from '../../../server/identity/ulid.ts'
import { repoName } from '../../../server/protocol/ids.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const hello = repoName.parse('hello')

t.test('a new repository is bare, empty, and its first branch is main', async (t) => {
  const folder = path.join(tempFolder(t), 'made/too')
  const repositories = await openRepositories(folder)
  const repo = await repositories.create(hello)
  t.equal(repo, path.join(folder, 'hello.git'))
  t.equal(await git(['symbolic-ref', 'HEAD'], { cwd: repo }), 'refs/heads/main')
  t.same(await repositories.list(), [hello])
  t.equal(await repositories.get(hello), repo)
  t.same(readdirSync(folder), ['hello.git'])
  t.notOk(existsSync(path.join(repo, 'hooks')), 'no hook comes with it')
})

t.test('a name is taken once, whatever lies under it', async (t) => {
  const folder = tempFolder(t)
  const repositories = await openRepositories(folder)
  await repositories.create(hello)
  await t.rejects(repositories.create(hello), { code: 'already-exists' })
  mkdirSync(path.join(folder, 'taken.git'))
  await t.rejects(repositories.create(repoName.parse('taken')), { code: 'already-exists' })
  symlinkSync('nowhere', path.join(folder, 'link.git'))
  await t.rejects(repositories.create(repoName.parse('link')), { code: 'already-exists' })
})

t.test('of two that want one name at once, one gets it and the other is told', async (t) => {
  const folder = tempFolder(t)
  const repositories = await openRepositories(folder)
  const results = await Promise.allSettled([repositories.create(hello), repositories.create(hello)])
  t.same(results.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
  for (const result of results)
    if (result.status === 'rejected') t.match(result.reason, { code: 'already-exists' })
  t.same(readdirSync(folder), ['hello.git'])
})

t.test('a repository is found with and without .git on disk', async (t) => {
  const folder = tempFolder(t)
  const repositories = await openRepositories(folder)
  renameSync(await repositories.create(hello), path.join(folder, 'hello'))
  t.equal(await repositories.get(hello), path.join(folder, 'hello'))
  await t.rejects(repositories.create(hello), { code: 'already-exists' })
})

t.test('what is no repository, or has no name that the forge could serve, is left out', async (t) => {
  const folder = tempFolder(t)
  const repositories = await openRepositories(folder)
  await repositories.create(hello)
  mkdirSync(path.join(folder, 'empty.git'))
  writeFileSync(path.join(folder, 'file.git'), '')
  renameSync(await repositories.create(repoName.parse('odd')), path.join(folder, '-odd.git'))
  t.same(await repositories.list(), [hello])
  await t.rejects(repositories.get(repoName.parse('empty')), { code: 'not-found' })
})

t.test('a removed repository is gone, and its name is free', async (t) => {
  const folder = tempFolder(t)
  const repositories = await openRepositories(folder)
  await repositories.create(hello)
  await repositories.remove(hello)
  t.same(readdirSync(folder), [])
  await t.rejects(repositories.remove(hello), { code: 'not-found' })
  await repositories.create(hello)
})

t.test('half-made and half-deleted repositories go at the next start, and nothing else does', async (t) => {
  const folder = tempFolder(t)
  await (await openRepositories(folder)).create(hello)
  for (const name of [`.new-${ulid(1)}`, `.deleted-${ulid(2)}`, '.new-mine', '.git', 'notes']) {
    mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, name, 'file'), '')
  }
  const again = await openRepositories(folder)
  t.same(readdirSync(folder).sort(), ['.git', '.new-mine', 'hello.git', 'notes'])
  t.same(await again.list(), [hello])
})
