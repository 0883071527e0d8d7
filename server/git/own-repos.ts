/** What a person does to a repository as a whole: creates it, deletes it; the audit says so. */
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import type { Person } from '../identity/identity.ts'
import type { RepoName } from '../protocol/ids.ts'

/** 409 while a job of it is active: its result would have nowhere to go. */
export const removeRepo = async (forge: Forge, person: Person, repo: RepoName): Promise<void> => {
  const { audit, db, repositories, webhooks, now } = forge
  await repositories.get(repo)
  const active = await db
    .selectFrom('attempts')
    .innerJoin('jobs', 'jobs.id', 'attempts.job')
    .select('jobs.id')
    .where('jobs.repo', '=', repo)
    .where('attempts.ended_at', 'is', null)
    .executeTakeFirst()
  if (active) {
    throw new ForgeError('repository-busy', `Job ${active.id} is still active. Cancel it first, then delete.`)
  }
  const intent = await audit.append({ type: 'repository-delete-intended', repo, by: person.token }, now())
  await repositories.remove(repo)
  await webhooks.store.removeOfRepo(repo)
  await audit.append({ type: 'repository-delete-done', repo, intent: intent.seq, moved: true }, now())
}

/** Creates an empty repository and writes that down. */
export const addRepo = async (forge: Forge, person: Person, repo: RepoName): Promise<void> => {
  await forge.repositories.create(repo)
  await forge.audit.append({ type: 'repository-created', repo, by: person.token }, forge.now())
}
