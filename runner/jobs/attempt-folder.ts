/** What the runner keeps of an attempt on its own disk until the forge has it all. */
import fsSync from 'node:fs'
import fs from 'node:fs/promises'
import path from 'node:path'
import { type AttemptSpec, attemptSpec } from '../../server/protocol/runner.ts'

export type AttemptFolder = {
  readonly path: string
  readonly spec: string
  readonly events: string
  /** What a killed agent had written. Whole where it exists. */
  readonly patch: string
  /** The objects of the proposal, between collect, courier and verify. */
  readonly pack: string
}

export const attemptFolder = (dataDir: string, name: string): AttemptFolder => {
  const folder = path.join(dataDir, 'jobs', name)
  return {
    path: folder,
    spec: path.join(folder, 'spec.json'),
    events: path.join(folder, 'events.jsonl'),
    patch: path.join(folder, 'salvaged.patch'),
    pack: path.join(folder, 'proposal.pack'),
  }
}

/** Keeps the spec. When this has returned, the attempt is known also after a crash. */
export const saveSpec = (folder: AttemptFolder, spec: AttemptSpec): void => {
  fsSync.mkdirSync(folder.path, { recursive: true, mode: 0o700 })
  const temporary = `${folder.spec}.new`
  fsSync.writeFileSync(temporary, JSON.stringify(spec), { mode: 0o600, flush: true })
  fsSync.renameSync(temporary, folder.spec)
}

/** The folders of earlier attempts with their specs. A folder without one was never promised to anyone: it is removed. */
export const loadFolders = async (
  dataDir: string,
): Promise<{ folder: AttemptFolder; spec: AttemptSpec }[]> => {
  const parent = path.join(dataDir, 'jobs')
  await fs.mkdir(parent, { recursive: true, mode: 0o700 })
  const found: { folder: AttemptFolder; spec: AttemptSpec }[] = []
  for (const name of await fs.readdir(parent)) {
    const folder = attemptFolder(dataDir, name)
    const text = await fs.readFile(folder.spec, 'utf8').catch(() => null)
    if (text === null) await removeFolder(folder)
    else found.push({ folder, spec: attemptSpec.parse(JSON.parse(text)) })
  }
  return found
}

export const removeFolder = async (folder: AttemptFolder): Promise<void> => {
  await fs.rm(folder.path, { recursive: true, force: true })
}
