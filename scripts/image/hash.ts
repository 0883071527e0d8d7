import { createHash } from 'node:crypto'
import fs from 'node:fs/promises'
import path from 'node:path'
import type { Source, Sources } from './sources.ts'

/** One hash over everything that decides what the image holds: it changes when the image must be built again. */
export const hashSources = async ({ dockerfile, sandbox, versions }: Sources): Promise<string> => {
  const hash = createHash('sha256')
  hash.update(JSON.stringify(versions))
  for (const file of [path.join(dockerfile.folder, dockerfile.name), ...(await listFiles(sandbox))]) {
    const content = createHash('sha256').update(await fs.readFile(file))
    hash.update(`\n${path.relative(sandbox.folder, file)} ${content.digest('hex')}`)
  }
  return hash.digest('hex')
}

const listFiles = async ({ folder, name }: Source): Promise<string[]> => {
  const entries = await fs.readdir(path.join(folder, name), { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
}
