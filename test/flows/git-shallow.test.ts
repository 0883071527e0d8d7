import { existsSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { makeRepo, type RunningForge, startForge } from '../support/forge.ts'
import { git } from '../support/git.ts'
import { tempFolder } from '../support/temp.ts'

/** Five commits on `main`, one a year, the second one a tag. */
const makeHistory = async (t: Test, forge: RunningForge): Promise<readonly string[]> => {
  const { work } = await makeRepo(t, forge)
  const commits: string[] = []
  for (const year of [2001, 2002, 2003, 2004, 2005]) {
    const date = `${year}-06-01T00:00:00Z`
    await git(['commit', '-q', '--allow-empty', '-m', String(year)], {
      cwd: work,
      env: { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date },
    })
    commits.push(await git(['rev-parse', 'HEAD'], { cwd: work }))
  }
  await git(['tag', 'second', 'HEAD~3'], { cwd: work })
  await git(['push', '-q', forge.remote('hello', forge.token), 'main', 'second'], {
    cwd: work,
    ca: forge.caFile,
  })
  return commits
}

t.test('history is fetched as far back as is asked for, in every protocol', async (t) => {
  const forge = await startForge(t)
  const commits = await makeHistory(t, forge)
  const fromYear = (year: number) => commits.slice(year - 2001).toReversed()

  for (const version of [0, 1, 2]) {
    await t.test(`protocol ${version}`, async (t) => {
      const folder = tempFolder(t)
      const protocol = ['-c', `protocol.version=${version}`]
      const clone = async (name: string, ...how: string[]) => {
        await git([...protocol, 'clone', '-q', ...how, forge.remote('hello'), name], {
          cwd: folder,
          ca: forge.caFile,
        })
        const cwd = path.join(folder, name)
        return {
          fetch: (...args: string[]) => git([...protocol, 'fetch', '-q', ...args], { cwd, ca: forge.caFile }),
          log: async () => {
            await git(['fsck', '--strict'], { cwd })
            return (await git(['log', '--format=%H', 'origin/main'], { cwd })).split('\n')
          },
          isShallow: () => existsSync(path.join(cwd, '.git/shallow')),
        }
      }

      const shallow = await clone('depth', '--depth=1')
      t.same(await shallow.log(), fromYear(2005), 'a clone of depth 1')
      await shallow.fetch('--deepen=1')
      t.same(await shallow.log(), fromYear(2004), 'deepened by one')
      await shallow.fetch('--depth=3')
      t.same(await shallow.log(), fromYear(2003), 'at another depth')
      await shallow.fetch('--shallow-exclude=second')
      t.same(await shallow.log(), fromYear(2003), 'without what a tag reaches')
      await shallow.fetch('--shallow-since=2001-12-31')
      t.same(await shallow.log(), fromYear(2002), 'since a date')
      t.ok(shallow.isShallow())
      await shallow.fetch('--unshallow')
      t.equal((await shallow.log()).length, 6, 'whole again')
      t.notOk(shallow.isShallow())

      t.same(await (await clone('since', '--shallow-since=2003-12-31')).log(), fromYear(2004))
      t.same(await (await clone('exclude', '--shallow-exclude=second')).log(), fromYear(2003))
    })
  }
})

t.test('a shallow clone pushes what it has made', async (t) => {
  const forge = await startForge(t)
  const commits = await makeHistory(t, forge)
  for (const version of [0, 2]) {
    const folder = tempFolder(t)
    const options = { cwd: path.join(folder, 'shallow'), ca: forge.caFile }
    await git(['clone', '-q', '--depth=1', forge.remote('hello', forge.token), 'shallow'], {
      ...options,
      cwd: folder,
    })
    await git(['commit', '-q', '--allow-empty', '-m', 'from a shallow clone'], options)
    const branch = `refs/heads/from-${version}`
    await git(['-c', `protocol.version=${version}`, 'push', '-q', 'origin', `HEAD:${branch}`], options)
    const bare = path.join(forge.dataDir, 'repos/hello.git')
    t.equal(await git(['rev-parse', `${branch}^`], { cwd: bare }), commits.at(-1))
    await git(['fsck', '--strict'], { cwd: bare })
    t.notOk(existsSync(path.join(bare, 'shallow')), 'and the forge’s repository stays whole')
  }
})
