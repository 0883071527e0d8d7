/** From a plan to what the engine is asked for: a container with no way out and no way up. */
import type { ContainerCreateOptions } from '../engine.ts'
import type { ContainerPlan } from './container-plan.ts'
import { seccompProfile } from './seccomp.ts'
import { users } from './users.ts'

export const workFolder = '/work'
export const scratchFolder = '/scratch'

const MiB = 1024 * 1024

const mounts = (work: ContainerPlan['work']) =>
  work === null
    ? []
    : [
        {
          Type: 'volume' as const,
          Source: work.volume,
          Target: workFolder,
          ReadOnly: work.readOnly,
          // Without it the engine fills the volume with what the image has at that path.
          VolumeOptions: { NoCopy: true, Labels: {}, DriverConfig: { Name: '', Options: {} } },
        },
      ]

const tmpfs = (scratch: ContainerPlan['scratch']): Record<string, string> => {
  if (scratch === null) return {}
  const [uid, gid] = scratch.owner.split(':')
  return { [scratchFolder]: `rw,nosuid,nodev,noexec,size=${scratch.bytes},uid=${uid},gid=${gid},mode=0700` }
}

/** By itself, because the library's types lack it. */
const ownCgroups = { CgroupnsMode: 'private' }

/**
 * The engine's options for the plan. Whatever an image could declare (entry point, user, health check,
 * environment, volumes) is said here, so that the image has no say.
 */
export const sealContainer = (plan: ContainerPlan): ContainerCreateOptions => ({
  Image: plan.image,
  Entrypoint: ['sleep', String(Math.ceil(plan.lifeMs / 1000))],
  Cmd: [],
  User: users.sleeper,
  Hostname: 'sandbox',
  WorkingDir: '/',
  Tty: false,
  OpenStdin: false,
  AttachStdin: false,
  AttachStdout: false,
  AttachStderr: false,
  Healthcheck: { Test: ['NONE'] },
  Labels: { ...plan.labels },
  HostConfig: {
    NetworkMode: 'none',
    // Else the engine writes the host's own name servers into the container.
    Dns: ['127.0.0.1'],
    DnsSearch: ['.'],
    IpcMode: 'private',
    ...ownCgroups,
    ReadonlyRootfs: true,
    Privileged: false,
    CapDrop: ['ALL'],
    SecurityOpt: ['no-new-privileges', `seccomp=${JSON.stringify(seccompProfile)}`],
    PidsLimit: plan.pids,
    Memory: plan.memoryBytes,
    MemorySwap: plan.memoryBytes,
    OomKillDisable: false,
    CpuPeriod: 100_000,
    CpuQuota: Math.ceil(plan.cpus * 100_000),
    ShmSize: 64 * MiB,
    Ulimits: [{ Name: 'core', Soft: 0, Hard: 0 }],
    LogConfig: { Type: 'none', Config: {} },
    RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
    AutoRemove: false,
    Init: false,
    Mounts: mounts(plan.work),
    Tmpfs: tmpfs(plan.scratch),
  },
})
