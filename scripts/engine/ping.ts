import { z } from 'zod'
import type { EngineAddress } from './address.ts'
import { readEngine } from './request.ts'

const version = z.object({ Version: z.string(), Os: z.string(), Arch: z.string() })

export type Ping =
  | { readonly kind: 'answers'; readonly version: string; readonly arch: string }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'absent' }

/** Asks whether an engine that runs Linux containers listens at the address. Takes at most five seconds. */
export const ping = async (address: EngineAddress): Promise<Ping> => {
  const signal = AbortSignal.timeout(5000)
  try {
    const answer = await readEngine(address, version, { method: 'GET', path: '/version', signal })
    if (answer?.Os !== 'linux') return { kind: 'absent' }
    return { kind: 'answers', version: answer.Version, arch: answer.Arch }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : null
    return { kind: code === 'EACCES' ? 'forbidden' : 'absent' }
  }
}
