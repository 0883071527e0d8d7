/** Whether a container is what was asked for, by the engine's own description of it. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { ContainerCreateOptions, MountSettings } from './engine.ts'

const list = z.array(z.unknown()).nullish()

const described = z.object({
  Image: z.string(),
  AppArmorProfile: z.string().optional(),
  Config: z.looseObject({ Labels: z.record(z.string(), z.string()), Volumes: z.unknown() }),
  HostConfig: z.looseObject({
    Binds: list,
    CapAdd: list,
    Devices: list,
    DeviceRequests: list,
    GroupAdd: list,
    ExtraHosts: list,
    VolumesFrom: list,
    PidMode: z.string(),
    UTSMode: z.string(),
    UsernsMode: z.string(),
    MaskedPaths: z.array(z.string()),
    ReadonlyPaths: z.array(z.string()),
  }),
  Mounts: z.array(
    z.looseObject({
      Type: z.string(),
      Name: z.string().optional(),
      Destination: z.string(),
      RW: z.boolean(),
    }),
  ),
})

/** Paths of /proc and /sys that the engine hides unless it was told not to. */
const hidden = ['/proc/kcore', '/proc/keys', '/proc/timer_list', '/sys/firmware']

/**
 * The names of what differs; none where the container is as asked. What the caller asked for must be there
 * as it is; what was not asked for (devices, capabilities, mounts, other namespaces) must not be there at all.
 */
export const findDifferences = (asked: ContainerCreateOptions, description: unknown): string[] => {
  const actual = described.parse(description)
  const {
    HostConfig: { Mounts: mounts = [], ...host } = {},
    Labels: labels = {},
    Image: image,
    ...config
  } = asked
  const extra = [
    'Binds',
    'CapAdd',
    'Devices',
    'DeviceRequests',
    'GroupAdd',
    'ExtraHosts',
    'VolumesFrom',
  ] as const
  const shared = ['PidMode', 'UTSMode', 'UsernsMode'] as const
  return [
    ...(actual.Image === image ? [] : ['Image']),
    ...(actual.Config.Volumes === null || actual.Config.Volumes === undefined ? [] : ['Volumes']),
    ...differing(config, actual.Config),
    ...differing(labels, actual.Config.Labels),
    ...differing(host, actual.HostConfig),
    ...extra.filter((key) => (actual.HostConfig[key]?.length ?? 0) > 0),
    ...shared.filter((key) => actual.HostConfig[key] !== ''),
    ...hidden.filter((path) => !actual.HostConfig.MaskedPaths.includes(path)),
    ...(actual.HostConfig.ReadonlyPaths.includes('/proc/sys') ? [] : ['/proc/sys']),
    ...(isDeepStrictEqual(mounts.map(askedLine), actual.Mounts.map(mountLine)) ? [] : ['Mounts']),
  ]
}

const differing = (asked: object, actual: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(asked)
    .filter(([key, value]) => !isSame(value, actual[key]))
    .map(([key]) => key)

/** The engine writes "none of it" as null, or leaves it out. */
const isSame = (asked: unknown, actual: unknown): boolean =>
  isDeepStrictEqual(asked, actual) || (isNothing(asked) && isNothing(actual))

const isNothing = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === false ||
  (typeof value === 'object' && Object.keys(value).length === 0)

type Mount = { Type: string; Name?: string | undefined; Destination: string; RW: boolean }

const mountLine = ({ Type, Name = '', Destination, RW }: Mount): string =>
  `${Type} ${Name} ${Destination} ${RW ? 'rw' : 'ro'}`

const askedLine = ({ Type, Source, Target, ReadOnly }: MountSettings): string =>
  mountLine({ Type, Name: Source, Destination: Target, RW: ReadOnly !== true })
