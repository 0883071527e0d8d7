import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { askGit, GitError, limitsFor, readGit, runGit, spawnGit } from '../../../server/git/child.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

t.test('git’s output comes whole, and its failure with its own words', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  t.equal(await runGit(['rev-parse', '--is-bare-repository'], { repo }), 'true\n')
  await t.rejects(runGit(['cat-file', '-t', '0'.repeat(40)], { repo }), {
    code: 'git-failed',
    exit: 128,
    message: /fatal/,
  })
})

t.test('more output than is taken stops git and is an error of its own', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  const id = await git(['hash-object', '-w', '--stdin'], { cwd: repo, input: 'x'.repeat(5_000_000) })
  await t.rejects(runGit(['cat-file', 'blob', id], { repo, maxBytes: 1000 }), {
    code: 'git-output-too-large',
  })
})

t.test('a reader that has had enough lets git end', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  const id = await git(['hash-object', '-w', '--stdin'], { cwd: repo, input: 'x'.repeat(5_000_000) })
  let chunks = 0
  const { stopped } = await readGit(['cat-file', 'blob', id], { repo }, () => {
    chunks += 1
    return false
  })
  t.ok(stopped)
  t.equal(chunks, 1)
})

t.test('a folder that has gone is a failure, not a crash and not a wait', async (t) => {
  const repo = path.join(tempFolder(t), 'gone')
  await t.rejects(runGit(['version'], { repo }), { code: 'git-failed', exit: null })
  await t.rejects(askGit(['version'], { repo }), { code: 'git-failed' })
})

t.test('a question is answered by git’s exit, and a broken one is no answer', async (t) => {
  const cwd = tempFolder(t)
  await git(['init', '-q', '.'], { cwd })
  await git(['commit', '-q', '--allow-empty', '-m', 'a'], { cwd })
  const a = await git(['rev-parse', 'HEAD'], { cwd })
  await git(['commit', '-q', '--allow-empty', '-m', 'b'], { cwd })
  const b = await git(['rev-parse', 'HEAD'], { cwd })
  const asks = (from: string, to: string) => askGit(['merge-base', '--is-ancestor', from, to], { repo: cwd })
  t.equal(await asks(a, b), true)
  t.equal(await asks(b, a), false)
  await t.rejects(asks(a, '0'.repeat(40)), GitError)
})

t.test('nothing of the host’s environment or configuration reaches git', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  process.env['GIT_AUTHOR_NAME'] = 'of the host'
  t.teardown(() => delete process.env['GIT_AUTHOR_NAME'])
  await t.rejects(runGit(['var', 'GIT_AUTHOR_IDENT'], { repo }), GitError)
  t.notMatch(await runGit(['config', '--list', '--show-origin'], { repo }), /gitconfig/)
})

t.test('a hook that lies in the repository is never run by what the forge does to refs', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  mkdirSync(path.join(repo, 'hooks'), { recursive: true })
  const hook = path.join(repo, 'hooks/reference-transaction')
  writeFileSync(hook, '#!/bin/sh\ntouch ran\n')
  chmodSync(hook, 0o755)
  const blob = await git(['hash-object', '-w', '--stdin'], { cwd: repo, input: 'x' })
  await runGit(['update-ref', 'refs/tags/x', blob], { repo })
  t.notOk(existsSync(path.join(repo, 'ran')))
})

t.test('the whole group ends, also what git left behind that does not want to', async (t) => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  const script = path.join(repo, 'stubborn')
  // It outlives its parent, ignores the first signal, and keeps git's output open.
  writeFileSync(script, '#!/bin/sh\ntrap "" TERM\necho up\nwhile :; do sleep 1; done\n')
  chmodSync(script, 0o755)
  const child = spawnGit(['-c', `alias.x=!(${script} &); exit 0`, 'x'], { repo, limits: limitsFor.reading })
  await once(child.stdout, 'data')
  child.stdout.resume()
  child.stderr.resume()
  child.end()
  await child.ended
})
