/** What happens in the forge that webhooks tell of, as it waits in the database to be made into deliveries. */
import { z } from 'zod'
import type { Pusher } from '../../hooks/decide-push.ts'
import { attemptNumber, commitId, jobId, repoName } from '../protocol/ids.ts'
import { refName } from '../protocol/refs.ts'
import { webhookId } from '../protocol/webhooks.ts'

const personSender = z.object({ kind: z.literal('person'), name: z.string() })
export const sender = z.discriminatedUnion('kind', [
  personSender,
  z.object({ kind: z.literal('job'), job: jobId }),
])
export type Sender = z.infer<typeof sender>

export const refUpdate = z.object({ ref: refName, old: commitId.nullable(), new: commitId.nullable() })

export const announcement = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ref-moved'), repo: repoName, update: refUpdate, sender }),
  z.object({
    type: z.literal('proposed'),
    repo: repoName,
    job: jobId,
    attempt: attemptNumber,
    commit: commitId,
    /** The proposal of the attempt before; null for a job's first. */
    before: commitId.nullable(),
    sender,
  }),
  z.object({
    type: z.literal('decided'),
    repo: repoName,
    job: jobId,
    commit: commitId,
    /** Where it was approved to; null: it was rejected. */
    branch: refName.nullable(),
    sender: personSender,
  }),
  z.object({ type: z.literal('pinged'), webhook: webhookId, sender: personSender }),
])
export type Announcement = z.infer<typeof announcement>

export const senderOf = (pusher: Pusher): Sender => {
  switch (pusher.kind) {
    case 'person':
      return { kind: 'person', name: pusher.person }
    case 'job':
      return { kind: 'job', job: pusher.scope.job }
  }
}
