import t from 'tap'
import { ConfigError, parseConfig } from '../../runner/config.ts'

const secret = 'sixteen or more characters'
const image = `sha256:${'a'.repeat(64)}`

t.test('the secret alone is enough, and nothing of the result can be changed', async (t) => {
  const config = parseConfig({ WORKSPACE_CONTROLLER_SECRET: secret })
  t.match(config, {
    listen: { host: '127.0.0.1', port: 8041 },
    sandboxImage: null,
    images: [],
    engine: { kind: 'socket', path: '/var/run/docker.sock' },
  })
  t.ok(Object.isFrozen(config))
})

t.test('every key is read', async (t) => {
  const config = parseConfig({
    LISTEN: '[::1]:9000',
    WORKSPACE_CONTROLLER_SECRET: secret,
    DATA_DIR: '/data',
    SANDBOX_IMAGE: image,
    RUNNER_IMAGES: `${image}, sha256:${'b'.repeat(64)}`,
    DOCKER_HOST: 'tcp://engine:2375',
  })
  t.same(config, {
    listen: { host: '::1', port: 9000 },
    secret,
    dataDir: '/data',
    sandboxImage: image,
    images: [image, `sha256:${'b'.repeat(64)}`],
    engine: { kind: 'tcp', host: 'engine', port: 2375 },
  })
  t.same(parseConfig({ WORKSPACE_CONTROLLER_SECRET: secret, DOCKER_HOST: 'unix:///run/d.sock' }).engine, {
    kind: 'socket',
    path: '/run/d.sock',
  })
})

t.test('one error names every bad key', async (t) => {
  const bad = {
    LISTEN: '8041',
    WORKSPACE_CONTROLLER_SECRET: 'short',
    SANDBOX_IMAGE: 'agent-workspace/sandbox:latest',
    RUNNER_IMAGES: 'debian',
    DOCKER_HOST: 'ssh://somewhere',
  }
  try {
    parseConfig(bad)
    t.fail('it must throw')
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    for (const key of Object.keys(bad)) t.match(error.message, key)
  }
})

t.test('an empty value counts as none', async (t) => {
  t.equal(parseConfig({ WORKSPACE_CONTROLLER_SECRET: secret, SANDBOX_IMAGE: '' }).sandboxImage, null)
  t.throws(() => parseConfig({ WORKSPACE_CONTROLLER_SECRET: '' }), { code: 'bad-config' })
})
