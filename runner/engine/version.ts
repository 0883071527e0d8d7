import { z } from 'zod'
import { callEngine } from './call.ts'
import type { Engine } from './engine.ts'

const version = z.object({ Version: z.string() })

/** The engine's version; also tells whether it answers at all. */
export const readVersion = async (engine: Engine): Promise<string> => {
  const answer: unknown = await callEngine('tell its version', () => engine.version(), 5_000)
  return version.parse(answer).Version
}
