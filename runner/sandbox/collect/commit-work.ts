/** One commit of what the agent left, over the base. */
import fs from 'node:fs/promises'
import process from 'node:process'
import { git, tryGit } from './git.ts'
import { workFolder } from './places.ts'
import { readHead } from './read-head.ts'
import { stageWork } from './stage-work.ts'

export type Collected = {
  /** What to propose: descends from the base, or is the base where nothing changed. */
  readonly head: string
  /** How many commits it is ahead. */
  readonly commits: number
  /** What the work folder holds, and whether it is full. */
  readonly disk: { readonly usedBytes: number; readonly full: boolean }
}

/** Commits what is not committed yet, on top of the agent's own commits where these descend from the base. */
export const commitWork = async (tree: string, base: string, subject: string): Promise<Collected> => {
  const start = await findStart(base)
  await git(['read-tree', start])
  await stageWork(tree)
  const staged = (await git(['write-tree'])).trim()
  const head = await commitTree(staged, start, base, subject)
  const commits = Number(await git(['rev-list', '--count', head, `^${base}`]))
  return { head, commits, disk: await measureDisk() }
}

/** The agent's HEAD, where it is a commit that can be read; otherwise all its work counts as uncommitted. */
const findStart = async (base: string): Promise<string> => {
  const head = await readHead()
  if (head === null) return base
  const { exit } = await tryGit(['cat-file', '-e', `${head}^{tree}`])
  if (exit === 0) return head
  process.stderr.write('The HEAD that the agent left is no commit; its work is taken from the files alone.\n')
  return base
}

const commitTree = async (tree: string, start: string, base: string, subject: string): Promise<string> => {
  const { exit } = await tryGit(['merge-base', '--is-ancestor', base, start])
  const parent = exit === 0 ? start : base
  if (parent !== start)
    process.stderr.write('The history that the agent left does not follow the base; it is made one commit.\n')
  if (tree === (await git(['rev-parse', `${parent}^{tree}`])).trim()) return parent
  const message = parent === base ? subject : 'Work left uncommitted by the agent'
  return (await git(['commit-tree', tree, '-p', parent], message)).trim()
}

const measureDisk = async (): Promise<Collected['disk']> => {
  const { bsize, blocks, bavail, files, ffree } = await fs.statfs(workFolder)
  return { usedBytes: (blocks - bavail) * bsize, full: bavail === 0 || (files > 0 && ffree === 0) }
}
