import { z } from 'zod'
import type { EngineAddress } from './address.ts'
import { readEngine } from './request.ts'

/** The label by which the runner finds again whatever it made. */
const label = 'agent-workspace'

const containers = z.array(z.object({ Id: z.string(), Names: z.array(z.string()), State: z.string() }))
const volumes = z.object({ Volumes: z.array(z.object({ Name: z.string() })).nullable() })
const networks = z.array(z.object({ Id: z.string(), Name: z.string() }))

export type Labelled = {
  readonly kind: 'container' | 'volume' | 'network'
  readonly id: string
  readonly name: string
  readonly running: boolean
}

/** Everything in the engine that bears the product's label. */
export const listLabelled = async (address: EngineAddress): Promise<Labelled[]> => {
  const signal = AbortSignal.timeout(30_000)
  const filters = JSON.stringify({ label: [label] })
  const get = { method: 'GET', signal } as const
  const found = await readEngine(address, containers, {
    ...get,
    path: '/containers/json',
    query: { all: 'true', filters },
  })
  const kept = await readEngine(address, volumes, { ...get, path: '/volumes', query: { filters } })
  const linked = await readEngine(address, networks, { ...get, path: '/networks', query: { filters } })
  return [
    ...(found ?? []).map(({ Id, Names, State }) => ({
      kind: 'container' as const,
      id: Id,
      name: Names[0] ?? Id,
      running: State === 'running',
    })),
    ...(kept?.Volumes ?? []).map(({ Name }) => ({
      kind: 'volume' as const,
      id: Name,
      name: Name,
      running: false,
    })),
    ...(linked ?? []).map(({ Id, Name }) => ({
      kind: 'network' as const,
      id: Id,
      name: Name,
      running: false,
    })),
  ]
}
