/** Who is asking. */
import type { Pusher } from '../../hooks/decide-push.ts'

export type Identity = { kind: 'anonymous' } | Pusher

/** A person with a full personal access token: the only one who may change anything but a job's refs. */
export type Person = Extract<Pusher, { kind: 'person' }>
