import t, { type Test } from 'tap'
import { askGit, bandOf } from '../support/ask-git.ts'
import { makeRepo, startForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { countRows, movedRefs } from '../support/records.ts'

const none = '0'.repeat(40)
const absent = 'f'.repeat(40)

/** A pack of nothing: its head, no object, and the hash of both. */
const emptyPack = Buffer.from('5041434b0000000200000000029d08823bd8a8eab510ad6ac75c823cfd3ed31e', 'hex')

const lengthOf = (line: Buffer): string => (line.length + 4).toString(16).padStart(4, '0')

const open = async (t: Test) => {
  const forge = await startForge(t)
  const { base, work } = await makeRepo(t, forge)
  return {
    forge,
    base,
    refs: () => git(['ls-remote', forge.remote('hello')], { cwd: work, ca: forge.caFile }),
    /** Sends one command as it is, bytes for characters, and returns what git and its hooks say. */
    push: async (old: string, fresh: string, ref: string): Promise<string> => {
      const command = Buffer.from(`${old} ${fresh} ${ref}\0report-status side-band-64k\n`, 'latin1')
      const { body } = await askGit(forge, '/hello.git/git-receive-pack', {
        body: Buffer.concat([Buffer.from(lengthOf(command)), command, Buffer.from('0000'), emptyPack]),
      })
      return `${bandOf(body, 1)}\n${bandOf(body, 2)}`
    },
  }
}

t.test('what git refused, or did not have to do, is no move in the record', async (t) => {
  const { forge, base, push, refs } = await open(t)
  const before = await refs()
  const first = [{ ref: 'refs/heads/main', old: null, new: base }]
  const main = 'refs/heads/main'
  for (const [what, old, fresh, ref, said] of [
    ['an old value that is wrong', absent, base, main, /ng refs\/heads\/main failed to update ref/],
    ['a branch made that is there', none, base, main, /ng refs\/heads\/main failed to update ref/],
    [
      'a branch removed that is not there',
      base,
      none,
      'refs/heads/x',
      /ng refs\/heads\/x failed to update ref/,
    ],
    ['an object that did not come', base, absent, main, /ng refs\/heads\/main missing necessary objects/],
    ['a branch set to what it is', base, base, main, /ok refs\/heads\/main/],
    ['nothing in place of nothing', none, none, 'refs/heads/x', /ok refs\/heads\/x/],
  ] as const) {
    t.match(await push(old, fresh, ref), said, what)
    t.same(movedRefs(forge, 'hello'), first, what)
  }
  t.equal(await refs(), before)
  t.equal(countRows(forge, 'push_intents'), 0, 'and no push is waited for')
})

t.test('a name that no ref can have is refused as such, and is no fault of the forge', async (t) => {
  const { forge, base, push, refs } = await open(t)
  const before = await refs()
  for (const ref of [
    'HEAD',
    'config',
    'refs/heads/x.lock',
    'refs/heads/../../config',
    'refs/heads/a b',
    'refs/heads/a\nb',
    'refs//agents/1/proposal',
    `refs/heads/${'a/'.repeat(600)}x`,
  ])
    t.match(
      await push(none, base, ref),
      /refused: the push names a ref as git-check-ref-format\(1\) allows none/,
      ref,
    )
  t.match(await push(none, base, 'refs/heads/caf\xe9'), /refused: the push names a ref that is not UTF-8/)
  for (const ref of ['refs/agents/1/x', 'refs/Agents/1/x', 'refs/AGENTS/1/x', 'refs/agent\xc5\xbf/1/x'])
    t.match(await push(none, base, ref), /only a job writes under refs\/agents\//, ref)
  t.equal(await refs(), before)
  t.notMatch(forge.log(), /"level":50/)
})
