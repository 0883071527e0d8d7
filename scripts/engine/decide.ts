import type { Machine } from '../machine.ts'
import type { Ping } from './ping.ts'

export type EngineDecision =
  | { readonly do: 'use' }
  | { readonly do: 'start'; readonly dockerd: string }
  | { readonly do: 'install' }
  | { readonly do: 'give-up'; readonly code: 'engine-missing' | 'engine-forbidden'; readonly advice: string }

/** How this machine gets a container engine. `named`: the person named the address with `DOCKER_HOST`. */
export const decideEngine = (answer: Ping['kind'], named: boolean, machine: Machine): EngineDecision => {
  if (answer === 'answers') return { do: 'use' }
  if (answer === 'forbidden') {
    const advice =
      'A container engine runs here, but this user may not use it. ' +
      'Add the user to the group "docker" and sign in again, or run this command as root.'
    return { do: 'give-up', code: 'engine-forbidden', advice }
  }
  if (named) return giveUp('DOCKER_HOST names an address where no engine for Linux containers answers.')
  if (machine.platform !== 'linux') {
    return giveUp(
      'No container engine for Linux containers answers. Start Docker Desktop, Colima or OrbStack ' +
        '(or install one of them) and try again.',
    )
  }
  if (machine.root && machine.dockerd !== null) return { do: 'start', dockerd: machine.dockerd }
  if (machine.dockerd !== null) {
    return giveUp('The container engine is installed but not running. Start it, or run this command as root.')
  }
  if (machine.distribution === 'other') {
    return giveUp(
      'No container engine is installed. Install Docker with this system’s packages and start it.',
    )
  }
  if (machine.root) return { do: 'install' }
  return giveUp(
    'No container engine is installed. Run this command as root and it will install one, ' +
      'or install it yourself: sudo apt-get install docker.io iptables',
  )
}

const giveUp = (advice: string): EngineDecision => ({ do: 'give-up', code: 'engine-missing', advice })
