import { writeFileSync } from 'node:fs'
import path from 'node:path'
import fc from 'fast-check'
import t from 'tap'
import {
  listDistinct,
  listPushedCommits,
  parsePushedCommits,
  readPushedCommit,
} from '../../../server/git/pushed-commits.ts'
import { commitId } from '../../../server/protocol/ids.ts'
import { refName } from '../../../server/protocol/refs.ts'
import { commitFile } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const a = 'a'.repeat(40)
const main = refName.parse('refs/heads/main')

t.test('what git log writes is read back, whatever is in names and messages', async () => {
  const word = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''))
  const status = fc.constantFrom('A', 'D', 'M', 'T')
  const file = fc.tuple(
    status,
    word.filter((text) => text !== ''),
  )
  const commit = fc.record({ author: word, message: word, files: fc.array(file) })
  fc.assert(
    fc.property(fc.array(commit), (commits) => {
      const text = commits
        .map(({ author, message, files }) => {
          const fields = ['', a, a, author, 'e', 'd', 'c', 'e', 'd', message]
          const pairs = files.flatMap(([kind, name], index) => [`${index === 0 ? '\n' : ''}${kind}`, name])
          return [...fields, ...pairs].map((part) => `${part}\0`).join('')
        })
        .join('')
      const read = parsePushedCommits(text)
      for (const [index, { author, message, files }] of commits.entries()) {
        const names = (kinds: string) =>
          files.filter(([kind]) => kinds.includes(kind)).map(([, name]) => name)
        const { added, removed, modified, ...rest } = read[index] ?? { added: [], removed: [], modified: [] }
        const same =
          JSON.stringify([added, removed, modified]) === JSON.stringify([names('A'), names('D'), names('MT')])
        if (!same || !('message' in rest)) throw new Error('files are read otherwise')
        if (rest.author.name !== author || rest.message !== message.trimEnd()) throw new Error('words, too')
      }
      return read.length === commits.length
    }),
  )
})

t.test('what is not git log’s output is refused', async (t) => {
  t.same(parsePushedCommits(''), [])
  t.throws(() => parsePushedCommits(`x\0${a}\0${a}\0a\0e\0d\0c\0e\0d\0m\0`))
  t.throws(() => parsePushedCommits(`\0not a commit\0${a}\0a\0e\0d\0c\0e\0d\0m\0`))
})

t.test('the newest of very many commits are told, and never more than can be held', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '-b', 'main'], { cwd: repo })
  const first = await commitFile(repo, 'a', '0\n')
  // A stream for fast-import: three hundred commits in one process.
  const commits = Array.from(
    { length: 300 },
    (_, n) =>
      `commit refs/heads/main\ncommitter T <t@example.org> ${1_700_000_000 + n} +0000\ndata 4\nn${String(n).padStart(3, '0')}\n${n === 0 ? `from ${first}\n` : ''}M 100644 inline a\ndata 4\n${String(n).padStart(4, '0')}\n`,
  )
  await git(['fast-import', '--quiet', '--force'], { cwd: repo, input: commits.join('') })
  const head = commitId.parse(await git(['rev-parse', 'main'], { cwd: repo }))
  const listed = await listPushedCommits(repo, main, commitId.parse(first), head)
  t.equal(listed.length, 250)
  t.equal(listed[0]?.message, 'n050')
  t.equal(listed.at(-1)?.id, head)
  t.same(listed.at(-1)?.modified, ['a'])

  await git(['reset', '-q', '--hard'], { cwd: repo })
  writeFileSync(path.join(repo, 'message'), 'x'.repeat(3_000_000))
  await git(['commit', '-q', '--allow-empty', '-F', 'message'], { cwd: repo })
  const large = commitId.parse(await git(['rev-parse', 'main'], { cwd: repo }))
  t.same(
    await listPushedCommits(repo, main, head, large),
    [],
    'a message that is larger than all of them may be',
  )
  t.equal(await readPushedCommit(repo, large), null)
})

t.test('a new branch has what no other branch has', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '-b', 'main'], { cwd: repo })
  await commitFile(repo, 'a', '0\n')
  await git(['checkout', '-q', '-b', 'side'], { cwd: repo })
  const own = commitId.parse(await commitFile(repo, 'b', '0\n'))
  const side = refName.parse('refs/heads/side')
  t.match(await listPushedCommits(repo, side, null, own), [{ id: own, added: ['b'] }])
  t.same([...(await listDistinct(repo, side, own))], [own])
  t.equal((await listPushedCommits(repo, main, null, own)).length, 0, 'all of it is on another branch')
  const tree = commitId.parse(await git(['rev-parse', 'HEAD^{tree}'], { cwd: repo }))
  t.equal(await readPushedCommit(repo, tree), null, 'a tree is no commit')
})
