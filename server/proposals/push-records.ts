/**
 * The record of what each push has moved. It is opened before any ref moves and closed after, from the refs
 * themselves where post-receive never ran: the forge or git can be killed between the two.
 */
import { z } from 'zod'
import type { RefUpdate } from '../../hooks/decide-push.ts'
import type { PushInProgress } from '../git/push.ts'
import { readRefMap } from '../git/reading.ts'
import type { Repositories } from '../git/repositories.ts'
import { type RepoName, repoName, type TokenId, tokenId } from '../protocol/ids.ts'
import { agentRefs } from '../protocol/refs.ts'
import type { Database } from '../store/database.ts'
import { refUpdate, type Sender, sender, senderOf } from '../webhooks/announcement.ts'
import type { Webhooks } from '../webhooks/open-webhooks.ts'

type Parts = Readonly<{ db: Database; webhooks: Webhooks; now: () => number }>

type Push = Readonly<{ id: string; repo: RepoName; token: TokenId; sender: Sender }>

/** A push that moves more refs than this, a mirror's first for one, is told to no webhook; GitHub has such an end too. */
const mostAnnounced = 1000

/** Proposals are told as such, and not as pushes. */
const toAnnounce = (updates: readonly RefUpdate[]): readonly RefUpdate[] =>
  updates.length > mostAnnounced ? [] : updates.filter(({ ref }) => !ref.startsWith(agentRefs))

/** Which of the updates the refs show. */
const findMoved = async (repo: string, updates: readonly RefUpdate[]): Promise<RefUpdate[]> => {
  const refs = await readRefMap(repo)
  return updates.filter((update) => (refs.get(update.ref) ?? null) === update.new)
}

export const openPushRecords = ({ db, webhooks, now }: Parts) => {
  const close = async ({ id, repo, token, sender }: Push, told: readonly RefUpdate[]): Promise<void> => {
    // git tells of a ref that was set to what it was, or deleted where there was none, as of any other.
    const updates = told.filter((update) => update.old !== update.new)
    await db.transaction().execute(async (transaction) => {
      await transaction.deleteFrom('push_intents').where('id', '=', id).execute()
      if (updates.length === 0) return
      await transaction.insertInto('pushes').values({ id, repo, token, at: now() }).execute()
      for (const { ref, old, new: commit } of updates) {
        await transaction.insertInto('ref_updates').values({ push: id, ref, old, new: commit }).execute()
      }
      const news = toAnnounce(updates).map((update) => ({ type: 'ref-moved' as const, repo, update, sender }))
      await webhooks.announce(transaction, news)
    })
  }

  const findOpen = async (id: string) => {
    const row = await db.selectFrom('push_intents').selectAll().where('id', '=', id).executeTakeFirst()
    if (!row) return null
    const push: Push = {
      id,
      repo: repoName.parse(row.repo),
      token: tokenId.parse(row.token),
      sender: sender.parse(JSON.parse(row.sender)),
    }
    return { push, updates: z.array(refUpdate).parse(JSON.parse(row.updates)) }
  }

  /** Closes a record that is still open, from the refs as they are. `path`: null for a repository that is gone. */
  const settle = async (id: string, path: string | null): Promise<void> => {
    const open = await findOpen(id)
    if (open) await close(open.push, path === null ? [] : await findMoved(path, open.updates))
  }

  const settleLater = async (repositories: Repositories, id: string, repo: RepoName): Promise<void> => {
    const gone = (await repositories.find(repo)) === null
    await settle(id, gone ? null : await repositories.getServed(repo))
  }

  return {
    /** Says that these refs may move. */
    async open({ id, repo, pusher }: PushInProgress, updates: readonly RefUpdate[]): Promise<void> {
      await db
        .insertInto('push_intents')
        .values({
          id,
          repo,
          token: pusher.token,
          sender: JSON.stringify(senderOf(pusher)),
          updates: JSON.stringify(updates),
          at: now(),
        })
        .execute()
    },

    /** Says that these refs have moved. */
    close: ({ id, repo, pusher }: PushInProgress, updates: readonly RefUpdate[]): Promise<void> =>
      close({ id, repo, token: pusher.token, sender: senderOf(pusher) }, updates),

    settle,

    /** Says that none of these refs has moved. */
    async drop(id: string): Promise<void> {
      await db.deleteFrom('push_intents').where('id', '=', id).execute()
    },

    /** Closes what a crash left open. `onFault` is told of what stays so. */
    async settleAll(repositories: Repositories, onFault: (error: unknown) => void): Promise<void> {
      const rows = await db.selectFrom('push_intents').select(['id', 'repo']).orderBy('id').execute()
      for (const { id, repo } of rows) {
        await settleLater(repositories, id, repoName.parse(repo)).catch(onFault)
      }
    },
  }
}

export type PushRecords = ReturnType<typeof openPushRecords>
