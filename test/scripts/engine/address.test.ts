import t from 'tap'
import {
  findEngineAddress,
  formatEngineAddress,
  parseEngineAddress,
} from '../../../scripts/engine/address.ts'

t.test('an address reads back as it was written', async (t) => {
  for (const text of ['unix:///run/user/1000/docker.sock', 'tcp://127.0.0.1:2375'])
    t.equal(formatEngineAddress(parseEngineAddress(text)), text)
})

t.test('a tcp address without a port means the usual one', async (t) => {
  t.same(parseEngineAddress('tcp://engine.test'), { kind: 'tcp', host: 'engine.test', port: 2375 })
})

t.test('an address that cannot be used is refused with its text', async (t) => {
  for (const text of ['ssh://engine.test', 'unix://', 'docker.sock', ''])
    t.throws(() => parseEngineAddress(text), { code: 'engine-address-unsupported', message: `"${text}"` })
})

t.test('DOCKER_HOST decides where the engine is', async (t) => {
  const address = await findEngineAddress({ DOCKER_HOST: 'unix:///elsewhere.sock' })
  t.same(address, { kind: 'socket', path: '/elsewhere.sock' })
})
