import { once } from 'node:events'
import { mkdtempSync, readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { commitFile, makeRepo, startForge } from '../support/forge.ts'
import { git, startGit } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

t.test('clones of one commit share a pack, and each is whole', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const folder = tempFolder(t)
  const packs = () => readdirSync(path.join(forge.dataDir, 'pack-cache'))
  const clone = async (...args: string[]): Promise<string> => {
    const into = mkdtempSync(path.join(folder, 'clone-'))
    await git(['clone', '-q', '--bare', ...args, forge.remote('hello'), into], {
      cwd: folder,
      ca: forge.caFile,
    })
    await git(['fsck', '--strict'], { cwd: into })
    return git(['rev-parse', 'HEAD'], { cwd: into })
  }
  const heads = await Promise.all(Array.from({ length: 6 }, () => clone('--depth', '1')))
  t.equal(new Set(heads).size, 1)
  t.equal(packs().length, 1, 'six clones, one pack')

  const next = await commitFile(work, 'next', 'next\n')
  await git(['push', '-q', forge.remote('hello', forge.token), 'main'], { cwd: work, ca: forge.caFile })
  t.equal(await clone('--depth', '1'), next, 'a new commit is another pack')
  t.equal(await clone('-c', 'protocol.version=0'), next)
  t.equal(await clone('--filter=blob:none'), next)
  t.ok(packs().every((name) => name.endsWith('.pack')))
})

t.test('a clone that dies in the middle leaves no half pack for the next one', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const noise = Array.from({ length: 60_000 }, () => Math.random().toString(36)).join('\n')
  const head = await commitFile(work, 'noise', noise)
  await git(['push', '-q', forge.remote('hello', forge.token), 'main'], { cwd: work, ca: forge.caFile })
  const folder = tempFolder(t)
  const killed = startGit(['clone', '-q', '--bare', forge.remote('hello'), 'killed'], {
    cwd: folder,
    ca: forge.caFile,
  })
  const packs = () => readdirSync(path.join(forge.dataDir, 'pack-cache'))
  while (packs().length === 0 && killed.exitCode === null)
    await new Promise((resolve) => setImmediate(resolve))
  killed.kill('SIGKILL')
  await once(killed, 'close')
  await git(['clone', '-q', '--bare', forge.remote('hello'), 'whole'], { cwd: folder, ca: forge.caFile })
  const whole = { cwd: path.join(folder, 'whole') }
  await git(['fsck', '--strict'], whole)
  t.equal(await git(['rev-parse', 'HEAD'], whole), head)
})
