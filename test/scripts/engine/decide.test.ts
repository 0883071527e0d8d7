import t from 'tap'
import { decideEngine } from '../../../scripts/engine/decide.ts'
import type { Machine } from '../../../scripts/machine.ts'

const fresh: Machine = { platform: 'linux', root: true, distribution: 'debian', dockerd: null }
const installed: Machine = { ...fresh, dockerd: '/usr/sbin/dockerd' }

t.test('an engine that answers is used, whatever else the machine has', async (t) => {
  t.same(decideEngine('answers', true, fresh), { do: 'use' })
  t.same(decideEngine('answers', false, { ...installed, root: false }), { do: 'use' })
})

t.test('root starts what is installed and installs what is not', async (t) => {
  t.same(decideEngine('absent', false, installed), { do: 'start', dockerd: '/usr/sbin/dockerd' })
  t.same(decideEngine('absent', false, fresh), { do: 'install' })
  t.same(decideEngine('absent', false, { ...fresh, distribution: 'ubuntu' }), { do: 'install' })
})

t.test('an address that the person named is never replaced by another engine', async (t) => {
  t.match(decideEngine('absent', true, installed), {
    do: 'give-up',
    code: 'engine-missing',
    advice: 'DOCKER_HOST',
  })
})

t.test('nothing is installed or started where it may not be, and the advice fits', async (t) => {
  const cases = [
    { machine: { ...fresh, root: false }, advice: 'sudo apt-get install' },
    { machine: { ...installed, root: false }, advice: 'not running' },
    { machine: { ...fresh, distribution: 'other' }, advice: 'this system’s packages' },
    { machine: { ...fresh, platform: 'darwin', distribution: 'other' }, advice: 'Docker Desktop' },
  ] as const
  for (const { machine, advice } of cases)
    t.match(decideEngine('absent', false, machine), { do: 'give-up', code: 'engine-missing', advice })
})

t.test('an engine that this user may not use is not started a second time', async (t) => {
  t.match(decideEngine('forbidden', false, installed), { do: 'give-up', code: 'engine-forbidden' })
})
