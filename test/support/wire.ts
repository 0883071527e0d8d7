import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import https from 'node:https'
import type { AddressInfo, Server } from 'node:net'
import { createInterface } from 'node:readline'
import { Duplex } from 'node:stream'
import type { Test } from 'tap'
import type { EgressDecision } from '../../runner/egress/decision.ts'
import { serveWire, type WireSession } from '../../runner/egress/wire-session.ts'

type Options = Omit<Parameters<typeof serveWire>[1], 'onDecision'>

export type Wire = {
  readonly port: number
  readonly proxy: string
  readonly session: WireSession
  readonly child: ChildProcess
  readonly decisions: EgressDecision[]
}

const program = new URL('../../runner/sandbox/wire.ts', import.meta.url).pathname

/** The real program in a real process, its stdin and stdout served by the real session. */
export const startWire = async (t: Test, options: Options): Promise<Wire> => {
  const child = spawn(process.execPath, [program, '0'], { stdio: ['pipe', 'pipe', 'pipe'], env: {} })
  const exited = once(child, 'exit')
  const decisions: EgressDecision[] = []
  const duplex = Duplex.from({ readable: child.stdout, writable: child.stdin })
  const session = serveWire(duplex, { ...options, onDecision: (decision) => decisions.push(decision) })
  t.teardown(async () => {
    session.close()
    await Promise.all([session.closed, exited])
  })
  const [line] = (await once(createInterface(child.stderr), 'line')) as [string]
  await session.ready
  const port = Number(line.replace(/^listening on 127\.0\.0\.1:/, ''))
  return { port, proxy: `http://127.0.0.1:${port}`, session, child, decisions }
}

/** Listens on a free port of 127.0.0.1; closed, connections and all, with the test. */
export const listen = async (t: Test, server: Server): Promise<number> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(async () => {
    if (server instanceof https.Server) server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  return (server.address() as AddressInfo).port
}

export type Ran = { readonly code: number | null; readonly out: string; readonly err: string }

/** Runs a client program to its end, with an environment made from nothing. */
export const run = (file: string, args: readonly string[], env: Record<string, string> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    const child = execFile(
      file,
      args,
      { env: { PATH: process.env['PATH'] ?? '', ...env } },
      (_error, out, err) => resolve({ code: child.exitCode, out, err }),
    )
  })
