import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { RunningForge } from './forge.ts'

export type OwnerHook = 'pre-receive' | 'post-receive'

/** Puts a program where the forge looks for it: for every repository, or for one. Returns its file. */
export const addHook = (
  { dataDir }: RunningForge,
  hook: OwnerHook,
  name: string,
  script: string,
  repo?: string,
): string => {
  const folder = path.join(dataDir, ...(repo === undefined ? [] : ['repos', `${repo}.git`]), `${hook}.d`)
  mkdirSync(folder, { recursive: true, mode: 0o755 })
  const file = path.join(folder, name)
  writeFileSync(file, script)
  chmodSync(file, 0o755)
  return file
}
