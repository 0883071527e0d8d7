/** Repositories as node-git-server names them: by path, with or without `.git`. */
import { realpath } from 'node:fs/promises'
import path from 'node:path'
import { ForgeError } from '../../errors.ts'
import { isRepository } from '../make-repository.ts'

type DirMap = (name?: string) => string

const longest = 512
/** A part of a name that is safe as a folder and says what it is. */
const part = /^[A-Za-z0-9_][A-Za-z0-9._@+-]*$/

const isSafe = (name: string): boolean => {
  const parts = name.split('/')
  // Only the last part may be a repository: nothing inside one can be named.
  const inner = parts.slice(0, -1)
  return (
    name.length <= longest &&
    parts.every((text) => part.test(text) && !text.endsWith('.lock')) &&
    !inner.some((text) => text.endsWith('.git'))
  )
}

/** Whether some folder above the one that is named is a repository, also one without `.git`. */
const isInsideRepository = async (dirMap: DirMap, name: string): Promise<boolean> => {
  const parts = name.split('/')
  const above = parts.slice(1).map((_, index) => dirMap(parts.slice(0, index + 1).join('/')))
  return (await Promise.all(above.map(isRepository))).some(Boolean)
}

/** Throws ForgeError for what can name no repository. */
export const checkName = async (dirMap: DirMap, name: string): Promise<void> => {
  if (!isSafe(name) || (await isInsideRepository(dirMap, name)))
    throw new ForgeError('not-found', 'There is no such repository.')
}

/** What `authenticate` is told. */
export const bareName = (name: string): string => name.replace(/\.git$/, '')

/** A repository on disk: its folder, and the real one that git runs in. */
export type Found = Readonly<{ folder: string; path: string }>

/** git runs elsewhere, so a folder that is given relative to this process is made absolute. */
const folderFor = (dirMap: DirMap, name: string): string => path.resolve(dirMap(name))

/** Where a repository of this name is made. */
export const placeFor = (dirMap: DirMap, name: string): string => folderFor(dirMap, `${bareName(name)}.git`)

/** With a work tree, git's own folder lies in it. */
export const foundAt = (folder: string, checkout: boolean): Found => ({
  folder,
  path: checkout ? path.join(folder, '.git') : folder,
})

/** The repository that a URL names, or null. */
export const findRepository = async (
  dirMap: DirMap,
  name: string,
  checkout: boolean,
): Promise<Found | null> => {
  const names = name.endsWith('.git') ? [name] : [`${name}.git`, name]
  for (const found of names.map((candidate) => foundAt(folderFor(dirMap, candidate), checkout))) {
    if (await isRepository(found.path)) return { ...found, path: await realpath(found.path) }
  }
  return null
}
