/** Webhooks as the rest of the forge knows them. */
import type { Transaction } from 'kysely'
import type { Logger } from 'pino'
import type { Repositories } from '../git/repositories.ts'
import type { JobReader } from '../jobs/job-rows.ts'
import type { Database } from '../store/database.ts'
import type { Tables } from '../store/schema.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import type { Announcement } from './announcement.ts'
import { openDeliverer } from './deliverer.ts'
import { openDeliveryQueue } from './delivery-queue.ts'
import { openDeliveryReader } from './delivery-rows.ts'
import { openFanOut } from './fan-out.ts'
import { openPayloads } from './payloads.ts'
import { openWebhookStore } from './webhook-store.ts'

type Parts = Readonly<{
  db: Database
  jobs: JobReader
  repositories: Repositories
  publicUrl: string
  allowed: AllowedHosts
  log: Logger
  now: () => number
}>

/** Nothing is delivered before `start`. */
export const openWebhooks = (parts: Parts) => {
  const { db, allowed, log, now } = parts
  const store = openWebhookStore(db, now)
  const queue = openDeliveryQueue(db, now)
  const fanOut = openFanOut({ db, store, queue, payloads: openPayloads(parts), log })
  const deliverer = openDeliverer({ store, queue, fanOut, allowed, log, now })
  let started = false

  return {
    store,
    queue,
    deliveries: openDeliveryReader(db),
    allowed,

    /**
     * Stores what happened, in the transaction that stores the happening itself. Consumers hear of it later: whoever
     * announces never waits for one.
     */
    async announce(transaction: Transaction<Tables>, news: readonly Announcement[]): Promise<void> {
      if (news.length === 0) return
      const at = now()
      const rows = news.map((each) => ({ at, body: JSON.stringify(each) }))
      await transaction.insertInto('announcements').values(rows).execute()
      // The deliverer waits for the connection, and with it for the end of this transaction.
      if (started) deliverer.wake()
    },

    /** Looks for what is due. */
    wake(): void {
      started = true
      deliverer.wake()
    },

    stop: () => deliverer.stop(),
  }
}

export type Webhooks = ReturnType<typeof openWebhooks>
