import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import t from 'tap'
import { maintain, needsMaintenance, readClutter } from '../../../server/git/maintenance.ts'
import { commitFile } from '../../support/forge.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

t.test(
  'a repository of many small pushes becomes one that is read quickly, and nothing is lost',
  async (t) => {
    const folder = tempFolder(t)
    const work = path.join(folder, 'work')
    const repo = path.join(folder, 'repo.git')
    await git(['init', '-q', '-b', 'main', work], { cwd: folder })
    await git(['init', '-q', '--bare', repo], { cwd: folder })
    await git(['config', 'receive.unpackLimit', '1'], { cwd: repo })
    for (let i = 0; i < 22; i += 1) {
      await commitFile(work, `file-${i}`, `${i}\n`)
      await git(['push', '-q', repo, `HEAD:refs/heads/b${i}`], { cwd: work })
    }
    const refs = () => git(['for-each-ref'], { cwd: repo })
    const before = await refs()
    t.equal(needsMaintenance(await readClutter(repo)), true)
    await maintain(repo)
    t.equal(needsMaintenance(await readClutter(repo)), false)
    t.equal(await refs(), before)
    await git(['fsck', '--strict'], { cwd: repo })
    t.ok(readdirSync(path.join(repo, 'objects/pack')).some((name) => name.endsWith('.bitmap')))
    t.ok(existsSync(path.join(repo, 'objects/info/commit-graphs')))
    t.ok(existsSync(path.join(repo, 'packed-refs')))
  },
)
