/**
 * Reads what an agent left in /work/repo, as data, after the agent's container is gone:
 *
 * - `node collect.ts commit <base> <subject>` makes a commit of it in a repository of its own and prints
 *   `Collected` as one line of JSON;
 * - `node collect.ts pack <base> <head>` prints the objects of base..head as a pack;
 * - `node collect.ts patch <base> <head>` prints the difference as a patch.
 *
 * Everything in /work is hostile. Nothing there is run, git reads no configuration from there, and only
 * folders and regular files are opened. It runs as the agent's user in a container of its own, so that it can
 * read what the agent made unreadable for others: another user would need a capability that opens any file by
 * its handle. Runs alone in its image: it imports nothing but Node's own modules.
 */
import process from 'node:process'
import { agentObjects } from './collect/agent-objects.ts'
import { CollectError } from './collect/collect-error.ts'
import { type Collected, commitWork } from './collect/commit-work.ts'
import { makeRepository, printGit } from './collect/git.ts'
import { workTree } from './collect/places.ts'

const commit = async (base: string, subject: string): Promise<void> => {
  await agentObjects()
  await makeRepository(base)
  const collected: Collected = await commitWork(workTree, base, subject)
  process.stdout.write(`${JSON.stringify(collected)}\n`)
}

const run = async ([what = '', base = '', second = '']: readonly string[]): Promise<void> => {
  switch (what) {
    case 'commit':
      return await commit(base, second)
    case 'pack':
      return await printGit(['pack-objects', '--revs', '--thin', '--stdout', '-q'], `${second}\n^${base}\n`)
    case 'patch':
      return await printGit(
        ['diff-tree', '-p', '--binary', '--no-ext-diff', '--no-textconv', '--no-renames', base, second],
        '',
      )
    default:
      throw new CollectError('Usage: collect.ts commit|pack|patch <base> <subject or head>')
  }
}

try {
  await run(process.argv.slice(2))
} catch (error) {
  if (!(error instanceof CollectError)) throw error
  process.stderr.write(`${error.message}\n`)
  process.exitCode = 1
}
