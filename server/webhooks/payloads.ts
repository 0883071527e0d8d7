/** From what was announced to what is sent: asks git and the database for the facts. */
import type { Logger } from 'pino'
import { ForgeError } from '../errors.ts'
import { readDefaultBranch } from '../git/reading.ts'
import type { Repositories } from '../git/repositories.ts'
import type { JobReader } from '../jobs/job-rows.ts'
import type { RepoName } from '../protocol/ids.ts'
import type { Webhook } from '../protocol/webhooks.ts'
import type { Announcement, Sender } from './announcement.ts'
import { type Origin, repositoryShape, senderShape } from './origin.ts'
import type { Payload } from './payload.ts'
import { pingPayload } from './ping-payload.ts'
import { type ProposalNews, proposalPayload } from './proposal-payload.ts'
import { pushPayloads } from './push-payloads.ts'
import { readMove } from './read-move.ts'

type Parts = Readonly<{ jobs: JobReader; repositories: Repositories; publicUrl: string; log: Logger }>

export const openPayloads = ({ jobs, repositories, publicUrl, log }: Parts) => {
  /** Null for a repository that is gone by now, or in which git must not run any more. */
  const findServed = async (name: RepoName): Promise<string | null> =>
    repositories.getServed(name).catch((error: unknown) => {
      if (error instanceof ForgeError) return null
      throw error
    })

  const readRepository = async (name: RepoName) => {
    const path = await findServed(name)
    return {
      path,
      shape: repositoryShape(name, path === null ? null : await readDefaultBranch(path), publicUrl),
    }
  }

  const originOf = async (repo: RepoName, sender: Sender): Promise<Origin> => ({
    repository: (await readRepository(repo)).shape,
    sender: senderShape(sender, publicUrl),
  })

  const ofProposal = async (
    { repo, job: id, sender }: Extract<Announcement, { type: 'proposed' | 'decided' }>,
    news: ProposalNews,
  ): Promise<Payload[]> => {
    const job = await jobs.find(repo, id)
    const author = senderShape({ kind: 'job', job: id }, publicUrl)
    return job ? [proposalPayload(job, author, news, await originOf(repo, sender))] : []
  }

  /** The payloads of an announcement made at `at`, for webhooks of its repository. */
  const of = async (news: Exclude<Announcement, { type: 'pinged' }>, at: number): Promise<Payload[]> => {
    switch (news.type) {
      case 'ref-moved': {
        const { path, shape } = await readRepository(news.repo)
        const facts = await readMove(path, news.update, (error) =>
          log.warn(
            { err: error, repo: news.repo, ref: news.update.ref },
            'a push is told without its commits',
          ),
        )
        return pushPayloads(news.update, facts, {
          repository: shape,
          sender: senderShape(news.sender, publicUrl),
        })
      }
      case 'proposed': {
        const { commit, before } = news
        return ofProposal(
          news,
          before === null ? { action: 'opened', commit, at } : { action: 'synchronize', commit, before, at },
        )
      }
      case 'decided': {
        const { commit, branch } = news
        return ofProposal(news, { action: 'closed', commit, branch, at })
      }
    }
  }

  /** A ping asks git nothing: its repository may be one that is not served. */
  const ofPing = (webhook: Webhook, sender: Sender): Payload => {
    const repository = webhook.repo === null ? null : repositoryShape(webhook.repo, null, publicUrl)
    return pingPayload(webhook, repository, senderShape(sender, publicUrl), publicUrl)
  }

  return { of, ofPing }
}

export type Payloads = ReturnType<typeof openPayloads>
