import t from 'tap'
import { findDifferences } from '../../../runner/engine/confirm.ts'
import { planAgent } from '../../../runner/engine/specs/container-plan.ts'
import { sealContainer } from '../../../runner/engine/specs/seal.ts'
import { digest } from '../../../server/protocol/ids.ts'
import { defaultLimits } from '../../../server/protocol/limits.ts'
import { attemptSpec } from '../../../server/protocol/runner.ts'

const image = digest.parse(`sha256:${'a'.repeat(64)}`)
const spec = attemptSpec.parse({
  job: 1,
  attempt: 1,
  repo: 'project',
  forge: { url: 'https://forge.invalid', ca: null },
  base: { ref: 'refs/heads/main', commit: 'c'.repeat(40) },
  image: null,
  agent: { kind: 'command', task: 'true' },
  setup: null,
  test: null,
  limits: defaultLimits,
  allow: [],
})
const asked = sealContainer(planAgent({ runner: 'r', spec }, image, 'v1'))

/** What an engine would describe: what was asked for, and what it adds. */
const describe = (host: object = {}, config: object = {}, rest: object = {}) => {
  const { HostConfig, Image, ...own } = asked
  return {
    Image,
    Config: { ...own, Labels: { ...own.Labels, inherited: 'from the image' }, Volumes: null, ...config },
    HostConfig: {
      ...HostConfig,
      PidMode: '',
      UTSMode: '',
      UsernsMode: '',
      MaskedPaths: ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware'],
      ReadonlyPaths: ['/proc/sys'],
      ...host,
    },
    Mounts: [{ Type: 'volume', Name: 'v1', Destination: '/work', RW: true }],
    ...rest,
  }
}

t.test('a container that is as asked differs in nothing', async (t) => {
  t.same(findDifferences(asked, describe()), [])
  t.same(findDifferences(asked, describe({ Init: null, Tmpfs: null, CapAdd: [] }, { Cmd: null })), [])
})

t.test('each field that was asked for is compared', async (t) => {
  for (const key of Object.keys(asked.HostConfig ?? {}).filter((name) => name !== 'Mounts'))
    t.strictSame(findDifferences(asked, describe({ [key]: 'another' })), [key], key)
  const { HostConfig: _, Labels: __, Image: ___, ...config } = asked
  for (const key of Object.keys(config))
    t.strictSame(findDifferences(asked, describe({}, { [key]: 'another' })), [key], key)
  t.strictSame(findDifferences(asked, describe({}, {}, { Image: 'another' })), ['Image'])
  t.strictSame(
    findDifferences(asked, describe({}, { Labels: {} })).sort(),
    Object.keys(asked.Labels ?? {}).sort(),
  )
})

t.test('what was not asked for is a difference', async (t) => {
  const extras = [
    { Binds: ['/:/host'] },
    { CapAdd: ['SYS_ADMIN'] },
    { Devices: [{}] },
    { DeviceRequests: [{}] },
    { GroupAdd: ['0'] },
    { ExtraHosts: ['a:1.2.3.4'] },
    { VolumesFrom: ['other'] },
    { PidMode: 'host' },
    { UTSMode: 'host' },
    { UsernsMode: 'host' },
  ]
  for (const extra of extras) t.strictSame(findDifferences(asked, describe(extra)), Object.keys(extra))
  t.strictSame(findDifferences(asked, describe({}, { Volumes: { '/data': {} } })), ['Volumes'])
  t.strictSame(findDifferences(asked, describe({ MaskedPaths: [] })).length, 4)
  t.strictSame(findDifferences(asked, describe({ ReadonlyPaths: [] })), ['/proc/sys'])
})

t.test('mounts are exactly those that were asked for', async (t) => {
  const work = { Type: 'volume', Name: 'v1', Destination: '/work', RW: true }
  const others = [
    [],
    [{ ...work, RW: false }],
    [{ ...work, Name: 'v2' }],
    [work, { Type: 'bind', Destination: '/host', RW: true }],
  ]
  for (const Mounts of others) t.strictSame(findDifferences(asked, describe({}, {}, { Mounts })), ['Mounts'])
})

t.test('a description that is none throws', async (t) => {
  t.throws(() => findDifferences(asked, {}))
})
