/** Whether the agent's objects can be read as they lie. */
import fs from 'node:fs/promises'
import { CollectError } from './collect-error.ts'
import { agentGit, agentObjectsFolder, workTree } from './places.ts'

/** Files by which an object folder points to others. */
const pointers = new Set(['info/alternates', 'info/http-alternates'])

/**
 * Resolves where the repository is made of folders and regular files alone: a link would lead git elsewhere,
 * a pipe would hold it forever. Rejects with what is wrong otherwise. Nothing can change any more when this
 * runs, so what was checked is what git reads.
 */
export const agentObjects = async (): Promise<void> => {
  for (const folder of [workTree, agentGit, agentObjectsFolder]) {
    const found = await fs.lstat(folder).catch(() => null)
    if (!found?.isDirectory()) throw new CollectError(`${folder} is not a folder any more.`)
  }
  await checkFolder('')
}

const checkFolder = async (folder: string): Promise<void> => {
  const entries = await fs.readdir(`${agentObjectsFolder}/${folder}`, { withFileTypes: true })
  for (const entry of entries) {
    const name = `${folder}${entry.name}`
    if (entry.isDirectory()) await checkFolder(`${name}/`)
    else if (!entry.isFile() || pointers.has(name))
      throw new CollectError(`.git/objects/${JSON.stringify(name)} is not an object of this repository.`)
  }
}
