import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { commitFile, makeRepo, startForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

/** The types of the objects that a clone has, without asking the forge for what it lacks. */
const typesIn = async (cwd: string): Promise<readonly string[]> => {
  const list = ['cat-file', '--batch-all-objects', '--batch-check=%(objecttype)']
  return [...new Set((await git(list, { cwd })).split('\n'))].sort()
}

const filters = { 'blob:none': ['commit', 'tree'], 'tree:0': ['commit'] } as const

t.test('a partial clone has what its filter leaves, and fetches the rest when it is needed', async (t) => {
  const forge = await startForge(t)
  const { work } = await makeRepo(t, forge)
  const options = { cwd: work, ca: forge.caFile }
  await commitFile(work, 'README.md', '# hello again\n')
  await git(['push', '-q', forge.remote('hello', forge.token), 'main'], options)

  const clone = async (t: Test, version: number, filter: string) => {
    const folder = tempFolder(t)
    const cwd = path.join(folder, 'partial')
    await git(
      [
        '-c',
        `protocol.version=${version}`,
        'clone',
        '-q',
        '--no-checkout',
        `--filter=${filter}`,
        forge.remote('hello'),
        cwd,
      ],
      { cwd: folder, ca: forge.caFile },
    )
    return {
      cwd,
      run: (...args: string[]) =>
        git(['-c', `protocol.version=${version}`, ...args], { cwd, ca: forge.caFile }),
    }
  }

  for (const version of [0, 1, 2]) {
    for (const [filter, types] of Object.entries(filters)) {
      await t.test(`${filter} in protocol ${version}`, async (t) => {
        const { cwd, run } = await clone(t, version, filter)
        t.same(await typesIn(cwd), types)
        await run('checkout', '-q', 'main')
        t.equal(readFileSync(path.join(cwd, 'README.md'), 'utf8'), '# hello again\n', 'the checkout fetches')
        t.match(await run('log', '-p', '--format=%s'), /^-# hello$/m, 'and so does looking back')
        writeFileSync(path.join(cwd, 'new.txt'), 'new\n')
        await run('add', '-A')
        await run('commit', '-qm', 'From a partial clone')
        const branch = `refs/heads/${filter.replace(':', '-')}-${version}`
        await run('push', '-q', forge.remote('hello', forge.token), `HEAD:${branch}`)
        const bare = path.join(forge.dataDir, 'repos/hello.git')
        t.equal(await git(['rev-parse', branch], { cwd: bare }), await run('rev-parse', 'HEAD'))
      })
    }
  }
  await git(['fsck', '--strict'], { cwd: path.join(forge.dataDir, 'repos/hello.git') })
})
