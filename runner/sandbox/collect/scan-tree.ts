/** The files of a hostile work tree, found without following or opening any of them. */
import { constants } from 'node:fs'
import fs from 'node:fs/promises'
import { CollectError } from './collect-error.ts'

/** Paths are relative to the tree, as Latin-1 text: one character a byte. */
export type Scan = {
  /** Regular files that can be read, and links. */
  readonly files: ReadonlySet<string>
  /** Files and folders that the agent itself could not read. */
  readonly unreadable: readonly string[]
  /** Folders that are repositories of their own. */
  readonly nested: readonly string[]
}

/** Files that git opens by name, wherever they lie. */
const openedByName = new Set(['.gitignore', '.gitattributes'])

export type Folders = {
  /** Folders that are entered although they are repositories of their own, because they hold tracked files. */
  readonly tracked: ReadonlySet<string>
  /** Submodules, which are never entered. */
  readonly submodules: ReadonlySet<string>
}

/** Walks the tree. A `.git` is never entered; pipes, sockets and devices are left out. */
export const scanTree = async (root: string, { tracked, submodules }: Folders): Promise<Scan> => {
  const files = new Set<string>()
  const unreadable: string[] = []
  const nested: string[] = []
  const waiting = ['']
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    const entries = await listFolder(`${root}/${folder}`)
    if (entries === null) {
      unreadable.push(folder)
      continue
    }
    if (folder !== '' && !tracked.has(folder) && entries.some(({ name }) => name === '.git')) {
      nested.push(folder)
      continue
    }
    for (const { name, kind } of entries) {
      if (name === '.git') continue
      const path = folder === '' ? name : `${folder}/${name}`
      if (kind === 'folder') {
        if (!submodules.has(path)) waiting.push(path)
      } else if (kind === 'file') {
        if (await canRead(`${root}/${path}`)) files.add(path)
        else unreadable.push(path)
      } else if (kind === 'link') {
        files.add(path)
      } else if (openedByName.has(name)) {
        throw new CollectError(`${JSON.stringify(path)} is neither a file nor a folder.`)
      }
    }
  }
  return { files, unreadable, nested }
}

type Entry = { readonly name: string; readonly kind: 'folder' | 'file' | 'link' | 'other' }

const listFolder = async (folder: string): Promise<Entry[] | null> => {
  const entries = await fs
    .readdir(Buffer.from(folder, 'latin1'), { withFileTypes: true, encoding: 'buffer' })
    .catch(() => null)
  return (
    entries?.map((entry) => ({
      name: entry.name.toString('latin1'),
      kind: entry.isDirectory()
        ? 'folder'
        : entry.isFile()
          ? 'file'
          : entry.isSymbolicLink()
            ? 'link'
            : 'other',
    })) ?? null
  )
}

const canRead = (path: string): Promise<boolean> =>
  fs.access(Buffer.from(path, 'latin1'), constants.R_OK).then(
    () => true,
    () => false,
  )
