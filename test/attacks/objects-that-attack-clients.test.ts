import path from 'node:path'
import t, { type Test } from 'tap'
import { askGit, bandOf, pktLine } from '../support/ask-git.ts'
import { makeRepo, startForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { type GitObject, makePack, objectId } from '../support/pack.ts'

type Made = Readonly<{ blob: string; evil: string; tree: string; commit: string }>
type Entry = readonly [mode: string, name: string, id: string]
/** The object that attacks, by its type and bytes; `.gitmodules` attacks by its content. */
type Attack = Readonly<{ type: 'tree' | 'commit' | 'tag'; bytes: (made: Made) => Buffer }>

const treeOf = (entries: readonly Entry[]): Buffer =>
  Buffer.concat(
    entries.flatMap(([mode, name, id]) => [Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]),
  )

const tree = (entries: (made: Made) => readonly Entry[]): Attack => ({
  type: 'tree',
  bytes: (made) => treeOf(entries(made)),
})
const named = (name: string, mode = '100644'): Attack =>
  tree(({ blob, tree: folder }) => [[mode, name, mode === '40000' ? folder : blob]])
const text = (type: 'commit' | 'tag', lines: (made: Made) => readonly string[]): Attack => ({
  type,
  bytes: (made) => Buffer.from(`${lines(made).join('\n')}\n`),
})

const person = 'Mallory <mallory@example.org> 1700000000 +0000'
const nothing = '0'.repeat(40)

/** How `.git` can be written so that some file system takes it for `.git`. */
const dotGit: Readonly<Record<string, string>> = {
  'as it is': '.git',
  'in capitals': '.GIT',
  'in both': '.gIt',
  'with a dot that Windows drops': '.git.',
  'with spaces that Windows drops': '.git  ',
  'by its short name on Windows': 'git~1',
  'by its short name in capitals': 'GIT~1',
  'as a stream of NTFS': '.git::$INDEX_ALLOCATION',
  'behind a backslash': 'x\\.git\\hooks',
  'before a backslash': '.git\\config',
  'with a joiner that HFS+ drops': '.g\u200dit',
  'with a mark that HFS+ drops': '.git\u200f',
  'with a byte order mark': '\ufeff.git',
}

/** The same for `.gitmodules`, which git looks for on every file system. */
const dotGitmodules = [
  '.gitmodules',
  '.GITMODULES',
  '.gitmodules ',
  'gitmod~1',
  'GI7EBA~1',
  '.git\u200cmodules',
]

const modules: Readonly<Record<string, string>> = {
  'an option as URL (CVE-2018-17456)': '[submodule "x"]\n\tpath = x\n\turl = -u./payload\n',
  'an option as path': '[submodule "x"]\n\tpath = -x\n\turl = https://example.org/x\n',
  'a name that leads out (CVE-2018-11235)':
    '[submodule "../../x"]\n\tpath = x\n\turl = https://example.org/x\n',
  'a command as update (CVE-2019-19604)':
    '[submodule "x"]\n\tpath = x\n\turl = ./x\n\tupdate = !touch pwned\n',
  'a newline in the URL (CVE-2020-5260)':
    '[submodule "x"]\n\tpath = x\n\turl = "https://x.example\\nhost=y.example/"\n',
  'a URL without a host (CVE-2020-11008)': '[submodule "x"]\n\tpath = x\n\turl = https:///x.example\n',
}

const attacks: Readonly<Record<string, Attack>> = {
  ...Object.fromEntries(Object.entries(dotGit).map(([how, name]) => [`.git ${how}`, named(name)])),
  '.git as a folder': named('.git', '40000'),
  '.git as a link': named('.git', '120000'),
  'the folder itself': named('.'),
  'the folder above': named('..', '40000'),
  'a path as a name': named('a/b'),
  'a name that begins at the root': named('/etc'),
  'an empty name': named(''),
  'a name twice': tree(({ blob }) => [
    ['100644', 'a', blob],
    ['100644', 'a', blob],
  ]),
  'a file and a folder of one name (CVE-2021-21300)': tree(({ blob, tree: folder }) => [
    ['120000', 'a', blob],
    ['100644', 'a.b', blob],
    ['40000', 'a', folder],
  ]),
  'names that are not sorted': tree(({ blob }) => [
    ['100644', 'b', blob],
    ['100644', 'a', blob],
  ]),
  'a mode with a zero before it': named('a', '0100644'),
  'an entry that names nothing': tree(() => [['100644', 'a', nothing]]),
  'a submodule at no commit': tree(() => [['160000', 'a', nothing]]),
  'a tree that is cut': { type: 'tree', bytes: () => Buffer.from('100644 a\0short') },
  ...Object.fromEntries(
    dotGitmodules.map((name) => [`a link called ${JSON.stringify(name)}`, named(name, '120000')]),
  ),
  ...Object.fromEntries(
    dotGitmodules
      .slice(1)
      .map((name) => [
        `hostile modules called ${JSON.stringify(name)}`,
        tree(({ evil }) => [['100644', name, evil]]),
      ]),
  ),
  'a commit without its author': text('commit', ({ tree }) => [
    `tree ${tree}`,
    `committer ${person}`,
    '',
    'x',
  ]),
  'a commit without its committer': text('commit', ({ tree }) => [
    `tree ${tree}`,
    `author ${person}`,
    '',
    'x',
  ]),
  'a commit without its tree': text('commit', () => [`author ${person}`, `committer ${person}`, '', 'x']),
  'a commit with two authors': text('commit', ({ tree }) => [
    `tree ${tree}`,
    `author ${person}`,
    `author ${person}`,
    `committer ${person}`,
    '',
    'x',
  ]),
  'a commit whose author has no address': text('commit', ({ tree }) => [
    `tree ${tree}`,
    'author Mallory 1700000000 +0000',
    `committer ${person}`,
    '',
    'x',
  ]),
  'a commit of a time that cannot be': text('commit', ({ tree }) => [
    `tree ${tree}`,
    `author Mallory <m@example.org> 99999999999999999999 +0000`,
    `committer ${person}`,
    '',
    'x',
  ]),
  'a NUL in the head of a commit': text('commit', ({ tree }) => [
    `tree ${tree}`,
    `author Mal\0lory <m@example.org> 1700000000 +0000`,
    `committer ${person}`,
    '',
    'x',
  ]),
  'a NUL in the message of a commit': text('commit', ({ tree }) => [
    `tree ${tree}`,
    `author ${person}`,
    `committer ${person}`,
    '',
    'seen\0hidden',
  ]),
  'a tag without its type': text('tag', ({ commit }) => [
    `object ${commit}`,
    'tag x',
    `tagger ${person}`,
    '',
    'x',
  ]),
  'a tag of what it is not': text('tag', ({ commit }) => [
    `object ${commit}`,
    'type blob',
    'tag x',
    `tagger ${person}`,
    '',
    'x',
  ]),
  'a tag without a name': text('tag', ({ commit }) => [
    `object ${commit}`,
    'type commit',
    `tagger ${person}`,
    '',
    'x',
  ]),
  'a tag of nothing': text('tag', () => [
    `object ${nothing}`,
    'type commit',
    'tag x',
    `tagger ${person}`,
    '',
    'x',
  ]),
}

/** What an attack may build on: objects that come with it, and the commit that is there already. */
const harmless = {
  blob: { type: 'blob', bytes: Buffer.from('harmless\n') },
  evil: { type: 'blob', bytes: Buffer.from(modules['an option as URL (CVE-2018-17456)'] ?? '') },
  tree: { type: 'tree', bytes: Buffer.alloc(0) },
} as const satisfies Record<string, GitObject>

const commitOf = (tree: GitObject, parent: string): GitObject => ({
  type: 'commit',
  bytes: Buffer.from(
    `tree ${objectId(tree)}\nparent ${parent}\nauthor ${person}\ncommitter ${person}\n\nx\n`,
  ),
})

const open = async (t: Test) => {
  const forge = await startForge(t)
  const { base } = await makeRepo(t, forge)
  const bare = path.join(forge.dataDir, 'repos/hello.git')
  return {
    base,
    refs: () => git(['for-each-ref'], { cwd: bare }),
    /** Sends the objects as they are and returns what git says to it. */
    push: async (ref: string, tip: GitObject, objects: readonly GitObject[]): Promise<string> => {
      const command = pktLine(`${nothing} ${objectId(tip)} ${ref}\0report-status side-band-64k\n`)
      const answer = await askGit(forge, '/hello.git/git-receive-pack', {
        body: Buffer.concat([Buffer.from(`${command}0000`), makePack([...objects, tip])]),
      })
      t.equal(answer.status, 200)
      return `${bandOf(answer.body, 1)}\n${bandOf(answer.body, 2)}`
    },
  }
}

/** More objects than receive.unpackLimit go another way through git: index-pack instead of unpack-objects. */
const crowd = Array.from(
  { length: 100 },
  (_, n): GitObject => ({ type: 'blob', bytes: Buffer.from(`${n}\n`) }),
)

t.test('objects that attack whoever checks them out are refused, in few and in many', async (t) => {
  const { base, refs, push } = await open(t)
  const before = await refs()
  const made: Made = {
    blob: objectId(harmless.blob),
    evil: objectId(harmless.evil),
    tree: objectId(harmless.tree),
    commit: base,
  }
  const check = async (what: string, { type, bytes }: Attack, also: readonly GitObject[]): Promise<void> => {
    const object: GitObject = { type, bytes: bytes(made) }
    const commit = type === 'tree' ? [commitOf(object, base)] : []
    const ref = type === 'tag' ? 'refs/tags/attack' : 'refs/heads/attack'
    for (const more of [[], crowd]) {
      const objects = [...also, ...more, ...(commit.length > 0 ? [object] : [])]
      const said = await push(ref, commit[0] ?? object, objects)
      t.match(said, /error: object [0-9a-f]{40}: \w+: |^fatal: (?:invalid|object|did not)/m, what)
      t.match(
        said,
        /unpack (?:index-pack|unpack-objects) abnormal exit/,
        `${what}, with ${objects.length} more`,
      )
    }
  }
  for (const [what, attack] of Object.entries(attacks)) await check(what, attack, Object.values(harmless))
  for (const [what, content] of Object.entries(modules)) {
    const evil: GitObject = { type: 'blob', bytes: Buffer.from(content) }
    await check(
      what,
      tree(() => [['100644', '.gitmodules', objectId(evil)]]),
      [evil],
    )
  }
  t.equal(await refs(), before, 'no ref has moved')
})

t.test('modules that came as a harmless file before are looked at when they get their name', async (t) => {
  const { base, push } = await open(t)
  const called = (name: string): GitObject => ({
    type: 'tree',
    bytes: treeOf([['100644', name, objectId(harmless.evil)]]),
  })
  const before = called('notes')
  const first = commitOf(before, base)
  t.match(await push('refs/heads/notes', first, [harmless.evil, before]), 'ok refs/heads/notes')
  const after = called('.gitmodules')
  t.match(await push('refs/heads/modules', commitOf(after, objectId(first)), [after]), 'gitmodulesUrl')
})

t.test('what looks alike and is harmless is taken', async (t) => {
  const { base, push } = await open(t)
  const blob: GitObject = {
    type: 'blob',
    bytes: Buffer.from('[submodule "x"]\n\tpath = x\n\turl = ../x.git\n'),
  }
  const names = [
    '...',
    '.gi',
    '.gitattributes',
    '.github',
    '.gitignore',
    '.gitmodules',
    'a b',
    'git~2',
    'x.git',
  ]
  const entries = names.map((name): Entry => ['100644', name, objectId(blob)])
  const files: GitObject = { type: 'tree', bytes: treeOf([...entries, ['160000', 'y', base]]) }
  t.match(await push('refs/heads/fine', commitOf(files, base), [blob, files]), 'ok refs/heads/fine')
})

t.test('what old histories have is taken, although no git writes it any more', async (t) => {
  const { base, push } = await open(t)
  const { blob } = harmless
  const files: GitObject = {
    type: 'tree',
    bytes: treeOf([
      ['120000', '.gitignore', objectId(blob)],
      ['100664', 'a', objectId(blob)],
    ]),
  }
  t.match(await push('refs/heads/old', commitOf(files, base), [blob, files]), 'ok refs/heads/old')
  const lines = [`object ${base}`, 'type commit', 'tag v0.1 (first)', '', 'x', '']
  const tag: GitObject = { type: 'tag', bytes: Buffer.from(lines.join('\n')) }
  t.match(await push('refs/tags/old', tag, []), 'ok refs/tags/old')
})
