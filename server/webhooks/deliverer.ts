/**
 * Works the queue: each webhook gets one request at a time, in the order of events, so that a slow consumer waits for
 * itself alone. What is under way when the process ends is sent again by the next one.
 */
import { setTimeout as wait } from 'node:timers/promises'
import type { Logger } from 'pino'
import type { WebhookId } from '../protocol/webhooks.ts'
import type { AllowedHosts } from './allowed-hosts.ts'
import type { DeliveryQueue, Due } from './delivery-queue.ts'
import { send } from './send.ts'
import { headersOf } from './sign.ts'
import type { WebhookStore } from './webhook-store.ts'

/** Requests under way at once, to as many webhooks. */
const mostAtOnce = 16

/** After a fault of the forge's own (a full disk), so that it is not met a thousand times a second. Milliseconds. */
const restMs = 10_000

/** The longest time for which Node's timers hold. Milliseconds. */
const longestTimer = 0x7fffffff

type Parts = Readonly<{
  store: WebhookStore
  queue: DeliveryQueue
  fanOut: () => Promise<boolean>
  allowed: AllowedHosts
  log: Logger
  now: () => number
}>

export const openDeliverer = ({ store, queue, fanOut, allowed, log, now }: Parts) => {
  const stopping = new AbortController()
  const busy = new Map<WebhookId, Promise<void>>()
  /** When each webhook had its last turn, so that those with long queues do not keep the others out. */
  const turns = new Map<WebhookId, number>()
  let turn = 0
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | null = null
  let lookAgain = false

  const attempt = async (due: Due): Promise<void> => {
    const target = await store.secretOf(due.webhook)
    if (!target) return
    const payload = Buffer.from(due.payload)
    const requestHeaders = headersOf(due, payload, target.secret)
    const at = now()
    const from = performance.now()
    const stop = stopping.signal
    const outcome = await send(new URL(target.url), requestHeaders, payload, { allowed, stop })
    const ms = Math.round(performance.now() - from)
    await queue.settle(due, { at, ms, requestHeaders, outcome })
  }

  const serve = async (webhook: WebhookId): Promise<void> => {
    try {
      const due = await queue.next(webhook)
      if (due) await attempt(due)
    } catch (error) {
      if (stopping.signal.aborted) return
      log.error({ err: error, webhook }, 'a delivery failed in the forge')
      await wait(restMs, undefined, { signal: stopping.signal }).catch(() => undefined)
    }
  }

  const startDue = async (): Promise<void> => {
    const due = (await queue.dueWebhooks()).filter((webhook) => !busy.has(webhook))
    due.sort((a, b) => (turns.get(a) ?? 0) - (turns.get(b) ?? 0))
    for (const webhook of due.slice(0, mostAtOnce - busy.size)) {
      turns.set(webhook, ++turn)
      const served = serve(webhook).finally(() => {
        busy.delete(webhook)
        wake()
      })
      busy.set(webhook, served)
    }
  }

  const look = async (): Promise<void> => {
    while (lookAgain && !stopping.signal.aborted) {
      lookAgain = false
      while (!stopping.signal.aborted && (await fanOut())) await startDue()
      await startDue()
    }
    if (stopping.signal.aborted) return
    const next = await queue.nextAt()
    clearTimeout(timer)
    if (next !== null) timer = setTimeout(wake, Math.min(longestTimer, Math.max(0, next - now())))
  }

  /** Looks at the queue, now or as soon as it is being looked at no more. */
  function wake(): void {
    if (stopping.signal.aborted) return
    lookAgain = true
    looking ??= look()
      .catch((error: unknown) => {
        log.error({ err: error }, 'the queue of webhooks could not be read')
        timer = setTimeout(wake, restMs)
      })
      .finally(() => {
        looking = null
        if (lookAgain) wake()
      })
  }

  return {
    wake,

    /** Ends what is under way without settling it, and resolves when nothing is. */
    async stop(): Promise<void> {
      stopping.abort()
      clearTimeout(timer)
      await looking
      await Promise.all(busy.values())
    },
  }
}
