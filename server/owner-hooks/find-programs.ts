/** Which files of a folder such as `pre-receive.d` are run, and which must not be. */
import type { Stats } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

/** `unfit`: why it is not run although it is meant to be, as a sentence's end. */
export type Program = Readonly<{ name: string; file: string; unfit: string | null }>

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

/** Others than the forge's user and root must not be able to change what the forge runs. */
const ownedUnfit = ({ uid, mode }: Stats): string | null => {
  if (uid !== 0 && uid !== process.getuid?.()) return 'belongs to another user'
  return (mode & 0o022) === 0 ? null : 'can be written by others'
}

const judge = async (folder: string, name: string): Promise<Program[]> => {
  const file = path.join(folder, name)
  const stats = await lstat(file)
  if (stats.isDirectory()) return []
  if (!stats.isFile()) return [{ name, file, unfit: 'is not a regular file' }]
  // Neither a README nor a program that was switched off is meant to be run.
  return (stats.mode & 0o111) === 0 ? [] : [{ name, file, unfit: ownedUnfit(stats) }]
}

/**
 * The folder's programs in the order of their names; none where there is no folder. Hidden files and an editor's
 * copies (`name~`) are no programs. A folder that others can change is one unfit program.
 */
export const findPrograms = async (folder: string): Promise<Program[]> => {
  const stats = await lstat(folder).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (stats === null) return []
  const unfit = stats.isDirectory() ? ownedUnfit(stats) : 'is not a folder'
  if (unfit !== null) return [{ name: '', file: folder, unfit }]
  const names = (await readdir(folder)).filter((name) => !name.startsWith('.') && !name.endsWith('~'))
  const programs = await Promise.all(names.sort().map((name) => judge(folder, name)))
  return programs.flat()
}
