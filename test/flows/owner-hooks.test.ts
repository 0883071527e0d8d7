import { chmodSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import {
  commitFile,
  jobToken,
  makeRepo,
  type RunningForge,
  root,
  startForge,
  startJob,
} from '../support/forge.ts'
import { git, startGit, tryGit } from '../support/git.ts'
import { addHook } from '../support/owner-hooks.ts'

const push = (forge: RunningForge, work: string, args: readonly string[], token = forge.token) =>
  tryGit(['push', forge.remote('hello', token), ...args], { cwd: work, ca: forge.caFile })

const refAt = (forge: RunningForge, work: string, ref: string): Promise<string> =>
  git(['ls-remote', forge.remote('hello'), ref], { cwd: work, ca: forge.caFile })

/** What the pusher has read from the server. */
const remoteLines = (err: string): string[] =>
  err
    .split('\n')
    .filter((line) => line.startsWith('remote: '))
    .map((line) => line.slice('remote: '.length).trimEnd())

t.test(
  'the owner’s programs run in the order of their names, first those for every repository',
  async (t) => {
    const forge = await startForge(t)
    const { work } = await makeRepo(t, forge)
    for (const hook of ['pre-receive', 'post-receive'] as const) {
      addHook(forge, hook, '20-second', `#!/bin/sh\necho ${hook} 20\n`)
      addHook(forge, hook, '10-first', `#!/bin/sh\necho ${hook} 10 >&2\n`)
      addHook(forge, hook, '05-own', `#!/bin/sh\necho ${hook} own\n`, 'hello')
      chmodSync(addHook(forge, hook, 'README', 'not a program'), 0o644)
      addHook(forge, hook, '30-copy~', '#!/bin/sh\necho never\n')
      addHook(forge, hook, '.hidden', '#!/bin/sh\necho never\n')
    }
    await commitFile(work, 'a', 'a\n')
    const ran = await push(forge, work, ['HEAD:refs/heads/a'])
    t.equal(ran.code, 0, ran.err)
    t.same(remoteLines(ran.err), [
      'pre-receive 10',
      'pre-receive 20',
      'pre-receive own',
      'post-receive 10',
      'post-receive 20',
      'post-receive own',
    ])
  },
)

t.test('a program sees the push as git’s own hook would, and who pushes', async (t) => {
  const forge = await startForge(t)
  const { work, base } = await makeRepo(t, forge)
  const show = (file: string) => `#!/bin/sh
{ cat; env | grep -E '^GIT_(AUTH|PUSH|QUARANTINE|DIR)' | sort; pwd; git rev-list --count HEAD; ls /proc/self/fd; } > ${file}
git cat-file -e "$(cut -d' ' -f2 ${file} | head -1)" && echo has the objects
`
  const seen = (hook: string) => path.join(forge.dataDir, hook)
  addHook(forge, 'pre-receive', 'show', show(seen('pre')))
  addHook(forge, 'post-receive', 'show', show(seen('post')))
  const commit = await commitFile(work, 'a', 'a\n')
  const options = ['-o', 'ci.skip', '-o', 'reviewer="x y"; $(touch no) \\n']
  const ran = await push(forge, work, [...options, 'HEAD:refs/heads/ünï', 'HEAD:refs/heads/main'])
  t.equal(ran.code, 0, ran.err)
  t.same(remoteLines(ran.err), ['has the objects', 'has the objects'])
  const repo = path.join(forge.dataDir, 'repos/hello.git')
  for (const hook of ['pre', 'post']) {
    const text = readFileSync(seen(hook), 'utf8')
    const lines = text.split('\n')
    t.same(lines.slice(0, 2).sort(), [
      `${'0'.repeat(40)} ${commit} refs/heads/ünï`,
      `${base} ${commit} refs/heads/main`,
    ])
    for (const line of [
      'GIT_AUTH_PERSON=owner',
      'GIT_AUTH_REPO=hello',
      `GIT_DIR=${repo}`,
      'GIT_PUSH_OPTION_COUNT=2',
      'GIT_PUSH_OPTION_0=ci.skip',
      'GIT_PUSH_OPTION_1=reviewer="x y"; $(touch no) \\n',
      repo,
    ])
      t.ok(lines.includes(line), `${hook}: ${line}`)
    t.match(text, /^GIT_AUTH_TOKEN_ID=[0-9a-z]{26}$/m)
    t.match(text, /^GIT_AUTH_PUSH_ID=[0-9a-z]{26}$/m)
    t.notMatch(text, /SCOPE_REFS/)
    t.equal(/QUARANTINE/.test(text), hook === 'pre', 'in quarantine before the refs move')
    // ls holds one more for the folder that it reads.
    t.notMatch(text, /^[4-9]$/m, 'no way to the forge')
  }

  const job = await startJob(forge, 'hello', 'true')
  const token = await jobToken(forge, 'hello', job.id)
  await commitFile(work, 'b', 'b\n')
  const proposed = await push(forge, work, [`HEAD:refs/agents/${job.id}/proposal`], token)
  t.equal(proposed.code, 0, proposed.err)
  t.match(readFileSync(seen('pre'), 'utf8'), /^GIT_AUTH_SCOPE_REFS=refs\/agents\/1\/\*$/m)
  t.notMatch(readFileSync(seen('pre'), 'utf8'), /AUTH_PERSON/)
})

t.test('a failing pre-receive refuses the push, and the next ones are not asked', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  addHook(forge, 'pre-receive', '10-no', '#!/bin/sh\necho Not on a Friday.\nexit 3\n')
  addHook(forge, 'pre-receive', '20-next', '#!/bin/sh\necho never\n')
  await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a', 'HEAD:refs/heads/b'])
  t.not(ran.code, 0)
  t.same(remoteLines(ran.err), ['Not on a Friday.', 'refused: pre-receive.d/10-no ended with 3.'])
  t.equal(await refAt(forge, work, 'refs/heads/*'), await refAt(forge, work, 'refs/heads/main'))
})

t.test('a failing post-receive is told, and the push stays', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  addHook(forge, 'post-receive', '10-no', '#!/bin/sh\nkill -9 $$\n')
  addHook(forge, 'post-receive', '20-next', '#!/bin/sh\necho next\n')
  const commit = await commitFile(work, 'a', 'a\n')
  const ran = await push(forge, work, ['HEAD:refs/heads/a'])
  t.equal(ran.code, 0)
  t.same(remoteLines(ran.err), ['post-receive.d/10-no was ended by SIGKILL.', 'next'])
  t.match(await refAt(forge, work, 'refs/heads/a'), commit)
})

t.test('output reaches the pusher line by line, as it comes', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const gate = path.join(forge.dataDir, 'gate')
  // It ends only after its first line has been seen on the other side.
  addHook(
    forge,
    'pre-receive',
    'slow',
    `#!/bin/sh\necho one\nuntil [ -e ${gate} ]; do sleep 0.05; done\necho two >&2\n`,
  )
  await commitFile(work, 'a', 'a\n')
  const child = startGit(['push', forge.remote('hello', forge.token), 'HEAD:refs/heads/a'], {
    cwd: work,
    ca: forge.caFile,
  })
  let err = ''
  for await (const chunk of (child.stderr ?? []) as AsyncIterable<Buffer>) {
    err += chunk.toString()
    if (err.includes('remote: one')) writeFileSync(gate, '')
  }
  t.same(remoteLines(err), ['one', 'two'])
})

t.test('the examples work when they are copied', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  cpSync(path.join(root, 'docs/examples/hooks'), forge.dataDir, { recursive: true })
  await commitFile(work, 'small', 'small\n')
  const small = await push(forge, work, ['HEAD:refs/heads/small'])
  t.equal(small.code, 0, small.err)
  t.same(remoteLines(small.err), ['refs/heads/small: 1 new, the last: Change small'])

  await commitFile(work, 'large file', 'x'.repeat(6_000_000))
  rmSync(path.join(work, 'large file'))
  await commitFile(work, 'after', 'and it is gone again\n')
  const large = await push(forge, work, ['HEAD:refs/heads/large'])
  t.not(large.code, 0)
  t.match(large.err, /refs\/heads\/large brings files of more than 5242880 bytes:\s+remote: large file/)
  const allowed = await push(forge, work, ['-o', 'large-files', '-o', 'quiet', 'HEAD:refs/heads/large'])
  t.equal(allowed.code, 0, allowed.err)
  t.same(remoteLines(allowed.err), [])
  const gone = await push(forge, work, [':refs/heads/large'])
  t.same(remoteLines(gone.err), ['refs/heads/large: gone'])
})
