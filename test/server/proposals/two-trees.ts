/** A repository in which a base and a head differ as a test wants, made by a real git. */
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Test } from 'tap'
import { type CommitId, commitId } from '../../../server/protocol/ids.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

export type Tree = Readonly<{
  write(name: string, text: string | Buffer): void
  link(name: string, target: string): void
  remove(name: string): void
  rename(from: string, to: string): void
  makeExecutable(name: string): void
  submodule(name: string, commit: string): Promise<void>
}>

export const twoTrees = async (
  t: Test,
  before: (tree: Tree) => void | Promise<void>,
  after: (tree: Tree) => void | Promise<void>,
): Promise<{ repo: string; base: CommitId; head: CommitId }> => {
  const work = tempFolder(t)
  await git(['init', '-q', '.'], { cwd: work })
  const at = (name: string): string => {
    const file = path.join(work, name)
    mkdirSync(path.dirname(file), { recursive: true })
    return file
  }
  const links: string[] = []
  const tree: Tree = {
    write: (name, text) => writeFileSync(at(name), text),
    link: (name, target) => symlinkSync(target, at(name)),
    remove: (name) => rmSync(at(name), { recursive: true }),
    rename: (from, to) => renameSync(at(from), at(to)),
    makeExecutable: (name) => chmodSync(at(name), 0o755),
    submodule: async (name, commit) => void links.push(`160000,${commit},${name}`),
  }
  const commit = async (change: (tree: Tree) => void | Promise<void>): Promise<CommitId> => {
    await change(tree)
    await git(['add', '-A'], { cwd: work })
    for (const link of links.splice(0))
      await git(['update-index', '--add', '--cacheinfo', link], { cwd: work })
    await git(['commit', '-q', '--allow-empty', '-m', 'x'], { cwd: work })
    return commitId.parse(await git(['rev-parse', 'HEAD'], { cwd: work }))
  }
  const base = await commit(before)
  return { repo: path.join(work, '.git'), base, head: await commit(after) }
}
