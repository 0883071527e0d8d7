import process from 'node:process'
import { installPackages } from '../debian.ts'
import { lookAtMachine } from '../machine.ts'
import { step } from '../progress.ts'
import { SetUpError } from '../set-up-error.ts'
import { type EngineAddress, findEngineAddress } from './address.ts'
import { decideEngine } from './decide.ts'
import { enter, type Lease } from './lease.ts'
import { ping } from './ping.ts'
import { leaveShared, startShared } from './shared.ts'

export type Engine = { readonly address: EngineAddress; readonly version: string; readonly arch: string }

const lease: Lease = { folder: '/run/agent-workspace-engine' }

/**
 * Gives an engine that answers: the one that runs, else one that it starts, and installs first where that is
 * allowed. What it started is stopped when `cleanUp` is disposed, also when this function fails.
 * Throws a SetUpError that says how to get an engine.
 */
export const prepareEngine = async (cleanUp: AsyncDisposableStack, signal: AbortSignal): Promise<Engine> => {
  const address = await findEngineAddress(process.env)
  const mayStart = lookAtMachine().platform === 'linux' && lookAtMachine().root
  if (mayStart) {
    cleanUp.defer(() => leaveShared(lease, address))
    await enter(lease)
  }
  let decision = await decideAt(address)
  if (decision.do === 'install') {
    await installPackages(['docker.io', 'iptables'], 'a container engine', signal)
    decision = await decideAt(address)
  }
  switch (decision.do) {
    case 'use':
      break
    case 'start': {
      const { dockerd } = decision
      await step('Starting the container engine', () => startShared(lease, dockerd, address, signal))
      break
    }
    case 'install':
      throw new SetUpError('engine-missing', 'The package docker.io is installed but brought no dockerd.')
    case 'give-up':
      throw new SetUpError(decision.code, decision.advice)
  }
  const answer = await ping(address)
  if (answer.kind !== 'answers') throw new SetUpError('engine-missing', 'The container engine went away.')
  return { address, version: answer.version, arch: answer.arch }
}

const decideAt = async (address: EngineAddress) => {
  const { kind } = await ping(address)
  return decideEngine(kind, process.env['DOCKER_HOST'] !== undefined, lookAtMachine())
}
