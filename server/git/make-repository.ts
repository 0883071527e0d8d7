/** Repositories on disk: what is one, and how a new one comes to be. */
import { mkdir, rename, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { ulid } from '../identity/ulid.ts'
import { runGit } from './child.ts'

/** What a folder that is being made is called until it is whole. */
export const unfinished = /^\.new-[0-9a-z]{26}$/

/** Whether the folder looks like a git directory (gitrepository-layout). */
export const isRepository = async (folder: string): Promise<boolean> => {
  const parts = await Promise.all(
    ['HEAD', 'objects', 'refs', 'config'].map((part) => stat(path.join(folder, part)).catch(() => null)),
  )
  return parts.every((part) => part !== null)
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && ['ENOTEMPTY', 'EEXIST', 'ENOTDIR'].includes(String(error.code))

/**
 * Makes an empty repository with the default branch `main`, bare or with a work tree. It appears whole or not at all.
 * False when something is there already.
 */
export const makeRepository = async (folder: string, kind: 'bare' | 'work-tree'): Promise<boolean> => {
  const fresh = path.join(path.dirname(folder), `.new-${ulid(Date.now())}`)
  const bare = kind === 'bare' ? ['--bare'] : []
  try {
    await mkdir(fresh, { mode: 0o750 })
    await runGit(['init', '--quiet', ...bare, '--template=', '--initial-branch=main', '.'], { repo: fresh })
    await rename(fresh, folder)
    return true
  } catch (error) {
    await rm(fresh, { recursive: true, force: true })
    if (isTaken(error)) return false
    throw error
  }
}
