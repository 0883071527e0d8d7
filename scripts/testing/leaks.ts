import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EngineAddress } from '../engine/address.ts'
import { type Labelled, listLabelled } from '../engine/labelled.ts'

/** An engine removes some things a little after it said so. */
const graceMs = 2000

/**
 * Names what the tests left in the engine: what was not there before. Nothing is removed, since another
 * runner may use the same engine at the same time.
 */
export const findLeftObjects = async (
  address: EngineAddress,
  before: readonly Labelled[],
): Promise<string[]> => {
  const old = new Set(before.map(({ id }) => id))
  const listNew = async () => (await listLabelled(address)).filter(({ id }) => !old.has(id))
  const first = await listNew()
  if (first.length === 0) return []
  await delay(graceMs)
  const still = new Set((await listNew()).map(({ id }) => id))
  return first.filter(({ id }) => still.has(id)).map(({ kind, name }) => `${kind} ${name}`)
}

/** Names the files and folders of ours that the tests left in their temporary folder. */
export const findLeftFiles = async (temporary: string): Promise<string[]> => {
  const names = (await fs.readdir(temporary)).filter((name) => name.startsWith('agent-workspace-'))
  return names.map((name) => path.join(temporary, name))
}
