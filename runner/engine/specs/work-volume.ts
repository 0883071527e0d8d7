/** The disk of a sandbox: memory, so that its size is a limit and nothing of it outlives the attempt. */
import type { AttemptSpec } from '../../../server/protocol/runner.ts'
import { attemptLabels } from './labels.ts'
import { users } from './users.ts'

/** The engine's options for the volume of an attempt. `exec` by default of the driver: agents run what they build. */
export const workVolume = (runner: string, spec: AttemptSpec) => {
  const [uid, gid] = users.agent.split(':')
  const { diskBytes, inodes } = spec.limits
  return {
    Driver: 'local',
    DriverOpts: {
      type: 'tmpfs',
      device: 'tmpfs',
      o: `size=${diskBytes},nr_inodes=${inodes},nosuid,nodev,uid=${uid},gid=${gid},mode=0755`,
    },
    Labels: { ...attemptLabels(runner, spec) },
  }
}
