import t from 'tap'
import {
  planAgent,
  planCollect,
  planCourier,
  planVerify,
} from '../../../../runner/engine/specs/container-plan.ts'
import { sealContainer } from '../../../../runner/engine/specs/seal.ts'
import { workVolume } from '../../../../runner/engine/specs/work-volume.ts'
import { digest } from '../../../../server/protocol/ids.ts'
import { attemptSpec } from '../../../../server/protocol/runner.ts'

const MiB = 1024 * 1024
const image = digest.parse(`sha256:${'a'.repeat(64)}`)
const spec = attemptSpec.parse({
  job: 7,
  attempt: 2,
  repo: 'project',
  forge: { url: 'https://forge.invalid', ca: null },
  base: { ref: 'refs/heads/main', commit: 'c'.repeat(40) },
  image: null,
  agent: { kind: 'command', task: 'true' },
  setup: null,
  test: null,
  limits: {
    cpus: 1.5,
    memoryBytes: 300 * MiB,
    diskBytes: 200 * MiB,
    inodes: 5000,
    pids: 99,
    wallMs: 90_000,
    testMs: 30_000,
    logBytes: 8192,
  },
  allow: [],
})
const attempt = { runner: 'r1', spec }
const plans = {
  agent: planAgent(attempt, image, 'v1'),
  collect: planCollect(attempt, image, 'v1', 10_000),
  courier: planCourier(attempt, image, 20_000),
  verify: planVerify(attempt, image, 'v2', 40_000),
}

for (const [purpose, plan] of Object.entries(plans)) {
  t.test(`the ${purpose} container is sealed, and its image has no say`, async (t) => {
    const { HostConfig: host, ...config } = sealContainer(plan)
    t.match(config, {
      Image: image,
      Cmd: [],
      User: '901:901',
      Hostname: 'sandbox',
      WorkingDir: '/',
      Tty: false,
      OpenStdin: false,
      Healthcheck: { Test: ['NONE'] },
    })
    t.equal(config.Entrypoint?.[0], 'sleep')
    t.match(host, {
      NetworkMode: 'none',
      Dns: ['127.0.0.1'],
      DnsSearch: ['.'],
      IpcMode: 'private',
      CgroupnsMode: 'private',
      ReadonlyRootfs: true,
      Privileged: false,
      CapDrop: ['ALL'],
      OomKillDisable: false,
      ShmSize: 64 * MiB,
      Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
      LogConfig: { Type: 'none' },
      RestartPolicy: { Name: 'no' },
      AutoRemove: false,
      Init: false,
    })
    t.equal(host?.Memory, host?.MemorySwap, 'no swap')
    t.match(host?.SecurityOpt, ['no-new-privileges', /^seccomp=\{/])
    t.notOk(host?.Binds ?? host?.CapAdd ?? host?.Devices)
  })
}

t.test('the agent has its limits; its memory holds its disk too', async (t) => {
  const { HostConfig: host, Entrypoint } = sealContainer(plans.agent)
  t.match(host, { Memory: 500 * MiB, PidsLimit: 99, CpuPeriod: 100_000, CpuQuota: 150_000, Tmpfs: {} })
  t.match(host?.Mounts, [
    { Type: 'volume', Source: 'v1', Target: '/work', ReadOnly: false, VolumeOptions: { NoCopy: true } },
  ])
  t.same(Entrypoint, ['sleep', '150'], 'its time limit and a minute')
})

t.test('collect sees the volume and cannot write to it', async (t) => {
  const { HostConfig: host } = sealContainer(plans.collect)
  t.match(host?.Mounts, [{ Source: 'v1', Target: '/work', ReadOnly: true }])
  t.same(host?.Tmpfs, {
    '/scratch': `rw,nosuid,nodev,noexec,size=${200 * MiB},uid=1000,gid=1000,mode=0700`,
  })
})

t.test('the courier sees no volume at all', async (t) => {
  const { HostConfig: host } = sealContainer(plans.courier)
  t.same(host?.Mounts, [])
  t.match(host?.Tmpfs, { '/scratch': /uid=904,gid=904,mode=0700$/ })
})

t.test('verify has a volume of its own', async (t) => {
  t.match(sealContainer(plans.verify).HostConfig?.Mounts, [{ Source: 'v2', ReadOnly: false }])
})

t.test('labels name the product, the runner, the job, the attempt and the purpose', async (t) => {
  t.same(sealContainer(plans.courier).Labels, {
    'agent-workspace': '1',
    'agent-workspace.runner': 'r1',
    'agent-workspace.job': '7',
    'agent-workspace.attempt': '2',
    'agent-workspace.purpose': 'courier',
  })
})

t.test('the work volume is memory, bounded in bytes and files, owned by the agent', async (t) => {
  t.match(workVolume('r1', spec), {
    Driver: 'local',
    DriverOpts: {
      type: 'tmpfs',
      o: `size=${200 * MiB},nr_inodes=5000,nosuid,nodev,uid=1000,gid=1000,mode=0755`,
    },
    Labels: { 'agent-workspace': '1', 'agent-workspace.runner': 'r1', 'agent-workspace.job': '7' },
  })
})
