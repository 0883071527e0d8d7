import fs from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { EngineAddress } from '../engine/address.ts'
import { type Labelled, listLabelled, removeLabelled } from '../engine/labelled.ts'

/** An engine removes some things a little after it said so. */
const graceMs = 2000

/**
 * Looks for what the tests left in the engine and in their temporary folder, and removes it. Returns one line
 * for each. `before`: what was there when they began, which is left alone.
 */
export async function removeLeaks(
  address: EngineAddress | null,
  before: readonly Labelled[],
  temporary: string,
): Promise<string[]> {
  const objects = address === null ? [] : await findNew(address, before)
  if (address !== null) for (const each of objects) await removeLabelled(address, each)
  const names = (await fs.readdir(temporary)).filter((name) => name.startsWith('agent-workspace-'))
  for (const name of names) await fs.rm(path.join(temporary, name), { recursive: true, force: true })
  return [
    ...objects.map(({ kind, name }) => `${kind} ${name}`),
    ...names.map((name) => `temporary folder or file ${name}`),
  ]
}

async function findNew(address: EngineAddress, before: readonly Labelled[]): Promise<Labelled[]> {
  const old = new Set(before.map(({ id }) => id))
  const listNew = async () => (await listLabelled(address)).filter(({ id }) => !old.has(id))
  const first = await listNew()
  if (first.length === 0) return []
  await delay(graceMs)
  const still = new Set((await listNew()).map(({ id }) => id))
  return first.filter(({ id }) => still.has(id))
}
