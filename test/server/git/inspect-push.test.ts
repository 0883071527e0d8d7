import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { parseConfig } from '../../../server/config.ts'
import {
  descendsFrom,
  inspectObjects,
  parseQuarantine,
  type Quarantine,
} from '../../../server/git/inspect-push.ts'
import { commitId } from '../../../server/protocol/ids.ts'
import { refName } from '../../../server/protocol/refs.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const { git: limits } = parseConfig({})

/** A repository with one commit, and a quarantine beside its objects into which `put` writes. */
const open = async (t: Test) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  const objects = path.join(repo, 'objects')
  const folder = path.join(objects, 'tmp_objdir-incoming-test')
  mkdirSync(folder)
  const env = { GIT_OBJECT_DIRECTORY: folder, GIT_ALTERNATE_OBJECT_DIRECTORIES: objects }
  const put = (args: string[], input = '') => git(args, { cwd: repo, env, input })
  const at: Quarantine = await parseQuarantine(repo, folder)
  const empty = await git(['mktree'], { cwd: repo })
  const base = commitId.parse(await git(['commit-tree', '-m', 'base', empty], { cwd: repo }))
  const commit = async (tree: string, ...parents: string[]) =>
    commitId.parse(
      await put(['commit-tree', '-m', 'x', ...parents.flatMap((parent) => ['-p', parent]), tree]),
    )
  return { repo, folder, at, put, commit, base, empty }
}

const ref = refName.parse('refs/heads/topic')

t.test('an ordinary push has nothing against it', async (t) => {
  const { at, put, commit, base } = await open(t)
  const blob = await put(['hash-object', '-w', '--stdin'], 'x')
  const tree = await put(['mktree'], `100644 blob ${blob}\tx\n`)
  t.equal(await inspectObjects(at, [{ ref, old: null, new: await commit(tree, base) }], limits), null)
})

t.test('a deletion has no tree to look at', async (t) => {
  const { at, put, base } = await open(t)
  await put(['mktree'], `040000 tree ${await put(['mktree'])}\tx\n`)
  t.equal(await inspectObjects(at, [{ ref, old: base, new: null }], limits), null)
})

t.test('a few trees that stand for more files than a disk holds are refused', async (t) => {
  const { at, put, commit } = await open(t)
  const blob = await put(['hash-object', '-w', '--stdin'], 'x')
  let tree = await put(['mktree'], `100644 blob ${blob}\tx\n`)
  for (let level = 0; level < 8; level += 1)
    tree = await put(['mktree'], Array.from({ length: 10 }, (_, n) => `040000 tree ${tree}\t${n}\n`).join(''))
  t.match(
    await inspectObjects(at, [{ ref, old: null, new: await commit(tree) }], limits),
    /refs\/heads\/topic: .*more than 1000000 files/,
  )
})

t.test('a path that is too deep is refused', async (t) => {
  const { at, put, commit, empty } = await open(t)
  let tree = empty
  for (let level = 0; level < 257; level += 1) tree = await put(['mktree'], `040000 tree ${tree}\tx\n`)
  t.match(await inspectObjects(at, [{ ref, old: null, new: await commit(tree) }], limits), /256 levels/)
})

t.test('a folder that names folders more often than is held in memory is refused', async (t) => {
  const { repo, at, put, commit, empty } = await open(t)
  const file = path.join(repo, 'tree')
  const wide: string[] = []
  for (let n = 0; n < 3; n += 1) {
    const names = Array.from({ length: 700_000 }, (_, i) => `40000 ${n}${String(i).padStart(6, '0')}\0`)
    writeFileSync(file, Buffer.from(names.join(Buffer.from(empty, 'hex').toString('latin1')), 'latin1'))
    writeFileSync(file, Buffer.from(empty, 'hex'), { flag: 'a' })
    wide.push(await put(['hash-object', '-w', '-t', 'tree', '--literally', file]))
  }
  const root = await put(['mktree'], wide.map((tree, n) => `040000 tree ${tree}\t${n}\n`).join(''))
  t.equal(
    await inspectObjects(at, [{ ref, old: null, new: await commit(root) }], limits),
    'its trees could not be read.',
  )
})

t.test('a tree whose folder is missing is refused', async (t) => {
  const { at, put, commit } = await open(t)
  const tree = await put(['mktree', '--missing'], `040000 tree ${'1'.repeat(40)}\tx\n`)
  t.equal(
    await inspectObjects(at, [{ ref, old: null, new: await commit(tree) }], limits),
    'its trees could not be read.',
  )
})

t.test(
  'a quarantine is a folder among the repository’s objects, also where a link leads to it',
  async (t) => {
    const { repo, folder } = await open(t)
    const link = path.join(tempFolder(t), 'link')
    symlinkSync(repo, link)
    for (const from of [repo, link])
      t.match(await parseQuarantine(from, './objects/tmp_objdir-incoming-test'), { repo: from, folder }, from)
    t.match(await parseQuarantine(link, folder), { repo: link, folder })
    for (const other of [
      'objects',
      '.',
      '..',
      tempFolder(t),
      'objects/gone',
      'objects/../objects',
      `${folder}/..`,
      '',
    ])
      await t.rejects(parseQuarantine(repo, other), other)
  },
)

t.test('what descends from the base is a commit with it among its ancestors', async (t) => {
  const { repo, at, put, commit, base, empty } = await open(t)
  const next = await commit(empty, base)
  const stranger = await commit(empty)
  t.ok(await descendsFrom(at, next, base))
  t.ok(await descendsFrom(at, await commit(empty, stranger, next), base))
  t.ok(await descendsFrom({ repo }, base, base))
  t.notOk(await descendsFrom(at, stranger, base))
  t.notOk(await descendsFrom({ repo }, next, base), 'what is in quarantine is not in the repository')
  const tag = `object ${next}\ntype commit\ntag x\ntagger a <a@b> 0 +0000\n\nx\n`
  t.notOk(
    await descendsFrom(
      at,
      commitId.parse(await put(['hash-object', '-w', '-t', 'tag', '--stdin'], tag)),
      base,
    ),
    'a tag is no commit',
  )
  t.notOk(await descendsFrom(at, commitId.parse(empty), base), 'a tree is no commit')
  t.notOk(await descendsFrom(at, commitId.parse('0'.repeat(40)), base))
})
