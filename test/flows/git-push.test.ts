import path from 'node:path'
import t, { type Test } from 'tap'
import { commitFile, jobToken, makeRepo, startForge, startJob } from '../support/forge.ts'
import { git, tryGit } from '../support/git.ts'
import { movedRefs } from '../support/records.ts'
import { tempFolder } from '../support/temp.ts'

/** A forge with one repository, a clone of it, and git in that clone in a given protocol. */
const open = async (t: Test) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const remote = forge.remote('hello', forge.token)
  const bare = path.join(forge.dataDir, 'repos/hello.git')
  return {
    forge,
    work,
    base,
    remote,
    bare,
    push: (version: number, ...args: string[]) =>
      tryGit(['-c', `protocol.version=${version}`, 'push', ...args], { cwd: work, ca: forge.caFile }),
    at: async (ref: string) => (await tryGit(['rev-parse', '--verify', '-q', ref], { cwd: bare })).out,
  }
}

const refsOf = async (cwd: string, where = '.', ca = ''): Promise<readonly string[]> => {
  const listed = await git(['ls-remote', '--refs', where], { cwd, ...(ca ? { ca } : {}) })
  return listed === '' ? [] : listed.split('\n').sort()
}

t.test('an atomic push moves every ref or none, and what moved is written down', async (t) => {
  const { forge, remote, push, at, base } = await open(t)
  await push(2, remote, 'main:refs/heads/folder')
  for (const version of [0, 2]) {
    const fine = `refs/heads/fine-${version}`
    // A ref cannot lie in what is a ref itself: only git finds that out, and only when it moves them.
    const pair = [`main:${fine}`, 'main:refs/heads/folder/inside']
    const atomic = await push(version, '--atomic', remote, ...pair)
    t.not(atomic.code, 0)
    t.equal(await at(fine), '', `protocol ${version}: neither ref moved`)
    t.notOk(movedRefs(forge, 'hello').some(({ ref }) => ref === fine))

    const apart = await push(version, remote, ...pair)
    t.not(apart.code, 0)
    t.match(apart.err, /remote rejected.*folder\/inside/)
    t.equal(await at(fine), base, 'without --atomic one of them did')
    t.ok(movedRefs(forge, 'hello').some(({ ref }) => ref === fine))
  }
  t.notOk(movedRefs(forge, 'hello').some(({ ref }) => ref.endsWith('/inside')))
})

t.test('a push with a lease moves only what the pusher has seen', async (t) => {
  const { forge, work, base, remote, push, at } = await open(t)
  for (const version of [0, 2]) {
    await push(version, '--force', remote, `${base}:refs/heads/topic`)
    const theirs = await commitFile(work, `theirs-${version}`, 'x\n')
    await push(version, remote, `${theirs}:refs/heads/topic`)
    await git(['checkout', '-q', '-B', 'mine', base], { cwd: work })
    const mine = await commitFile(work, `mine-${version}`, 'x\n')
    const withLease = (seen: string) =>
      push(version, `--force-with-lease=refs/heads/topic:${seen}`, remote, `${mine}:refs/heads/topic`)
    t.match((await withLease(base)).err, /stale info/)
    t.equal(await at('refs/heads/topic'), theirs)
    t.equal((await withLease(theirs)).code, 0)
    t.equal(await at('refs/heads/topic'), mine)
  }
  const moves = movedRefs(forge, 'hello').filter(({ ref }) => ref === 'refs/heads/topic')
  t.equal(moves.at(-1)?.new, await at('refs/heads/topic'))
})

t.test('of pushes that race for one branch, exactly one moves it', async (t) => {
  const { forge, work, base, remote, push, at } = await open(t)
  const rivals: string[] = []
  for (let n = 0; n < 6; n += 1) {
    await git(['checkout', '-q', '--detach', base], { cwd: work })
    rivals.push(await commitFile(work, 'file', `${n}\n`))
  }
  const ran = await Promise.all(rivals.map((commit) => push(2, remote, `${commit}:refs/heads/main`)))
  const winners = rivals.filter((_, n) => ran[n]?.code === 0)
  t.same(winners, [await at('refs/heads/main')])
  t.same(
    movedRefs(forge, 'hello').filter(({ old }) => old === base),
    [{ ref: 'refs/heads/main', old: base, new: winners[0] ?? '' }],
  )
})

t.test(
  'a mirror has every ref of its source, loses what the source loses, and leaves jobs alone',
  async (t) => {
    const { forge, remote, base, bare } = await open(t)
    const job = await startJob(forge, 'hello', 'true')
    const token = await jobToken(forge, 'hello', job.id)
    const source = tempFolder(t)
    const options = { cwd: source, ca: forge.caFile }
    await git(['clone', '-q', '--bare', forge.remote('hello'), '.'], options)
    const proposal = `refs/agents/${job.id}/proposal`
    await git(['commit-tree', '-p', base, '-m', 'proposed', 'HEAD^{tree}'], options).then((commit) =>
      git(['push', '-q', forge.remote('hello', token), `${commit}:${proposal}`], options),
    )
    const jobRefs = (await refsOf(bare)).filter((line) => line.includes('refs/agents/'))
    t.equal(jobRefs.length, 2, 'a proposal and its revision')

    await git(['notes', 'add', '-m', 'noted', base], options)
    await git(['tag', '-a', '-m', 'signed off', 'v1'], options)
    const odd = [
      'odd/deep/er',
      'pull/1/head',
      'changes/01/1/meta',
      'heads/ünï/日本',
      'stash',
      'heads/-x',
      'heads/heads/main',
    ]
    for (const ref of odd) await git(['update-ref', `refs/${ref}`, base], options)
    await git(['update-ref', 'refs/tags/blob', await git(['hash-object', '-w', '--stdin'], options)], options)

    const mirror = (version: number) =>
      tryGit(['-c', `protocol.version=${version}`, 'push', '--mirror', remote], options)
    const first = await mirror(2)
    t.equal(first.code, 0, first.err)
    t.same(await refsOf(bare), [...(await refsOf(source)), ...jobRefs].sort())

    for (const ref of odd.slice(0, 3)) await git(['update-ref', '-d', `refs/${ref}`], options)
    await git(['update-ref', 'refs/heads/later', base], options)
    t.equal((await mirror(0)).code, 0)
    t.same(await refsOf(bare), [...(await refsOf(source)), ...jobRefs].sort())
    t.equal((await mirror(2)).err.trim(), 'Everything up-to-date', 'and a second time nothing')

    const whole = tempFolder(t)
    await git(['clone', '-q', '--mirror', forge.remote('hello'), '.'], { ...options, cwd: whole })
    t.same(await refsOf(whole), await refsOf(bare), 'a mirror clone has it all')
  },
)

t.test('push options are taken', async (t) => {
  const { remote, push, at, base } = await open(t)
  for (const version of [0, 2]) {
    const ran = await push(
      version,
      '-o',
      'ci.skip',
      '-o',
      'title=zwei Wörter',
      remote,
      `main:refs/heads/o${version}`,
    )
    t.equal(ran.code, 0, ran.err)
    t.equal(await at(`refs/heads/o${version}`), base)
  }
})

t.test('a push is signed only where the server asks, and this one does not', async (t) => {
  const { remote, push, at, base } = await open(t)
  for (const version of [0, 2]) {
    t.equal((await push(version, '--signed=if-asked', remote, `main:refs/heads/s${version}`)).code, 0)
    t.equal(await at(`refs/heads/s${version}`), base)
    const signed = await push(version, '--signed', remote, `main:refs/heads/t${version}`)
    t.not(signed.code, 0)
    t.match(signed.err, /the receiving end does not support --signed push/)
  }
})
