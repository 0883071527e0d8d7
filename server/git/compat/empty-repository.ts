/** What stands in for a repository that is made when something is pushed to it. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { makeRepository } from '../make-repository.ts'

/** Runs `use` with an empty repository, which is gone afterwards. */
export const withEmptyRepository = async (use: (path: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'empty-repository-'))
  try {
    const repo = path.join(folder, 'empty.git')
    await makeRepository(repo, 'bare')
    await use(repo)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
