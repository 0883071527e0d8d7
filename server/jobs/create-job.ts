/** A task becomes a job: base and repository settings are fixed here, for every attempt of it. */
import { ForgeError } from '../errors.ts'
import type { Forge } from '../forge.ts'
import { GitError } from '../git/child.ts'
import { isEmptyRepository, readDefaultBranch, readFileAt, resolveRef } from '../git/reading.ts'
import type { Person } from '../identity/identity.ts'
import { taskMaxBytes } from '../protocol/api.ts'
import { type CommitId, type JobId, jobId, type RepoName } from '../protocol/ids.ts'
import type { Agent, AgentKind, JobState } from '../protocol/jobs.ts'
import type { RefName } from '../protocol/refs.ts'
import { type WorkspaceFile, workspaceFile, workspaceFileName } from '../protocol/workspace-file.ts'

const workspaceFileMaxBytes = 64 * 1024

const resolveBase = async (
  repo: string,
  asked: RefName | undefined,
): Promise<{ ref: RefName; commit: CommitId }> => {
  if (await isEmptyRepository(repo)) {
    throw new ForgeError(
      'repository-empty',
      'The repository is empty. Push a first commit, then start a job.',
    )
  }
  const ref = asked ?? (await readDefaultBranch(repo))
  const commit = ref && (await resolveRef(repo, ref))
  if (!ref || !commit) throw new ForgeError('not-found', `There is no branch ${ref ?? 'that HEAD names'}.`)
  return { ref, commit }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw new ForgeError('bad-workspace-file', `${workspaceFileName} at the base commit is not JSON.`)
  }
}

const tooLarge = (error: unknown): never => {
  if (!(error instanceof GitError) || error.code !== 'git-output-too-large') throw error
  throw new ForgeError(
    'bad-workspace-file',
    `${workspaceFileName} at the base commit is larger than ${workspaceFileMaxBytes / 1024} KiB.`,
  )
}

const readWorkspaceFile = async (repo: string, commit: CommitId): Promise<WorkspaceFile> => {
  const text = await readFileAt(repo, commit, workspaceFileName, workspaceFileMaxBytes).catch(tooLarge)
  if (text === null) return workspaceFile.parse({})
  const result = workspaceFile.safeParse(parseJson(text))
  if (result.success) return result.data
  const issues = result.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw new ForgeError('bad-workspace-file', `${workspaceFileName} at the base commit cannot be used.`, {
    issues,
  })
}

const agentFor = (kind: AgentKind, task: string): [Agent, JobState] => {
  switch (kind) {
    case 'command':
      return [{ kind, task }, 'queued']
    case 'external':
      return [{ kind }, 'open']
  }
}

/** Creates a job that waits for a runner, or for an agent elsewhere. 404, 409 and 413 as ForgeError. */
export const createJob = async (
  { db, audit, repositories, now, dispatcher, deadlines }: Forge,
  person: Person,
  name: RepoName,
  { task, base: asked, agent: kind }: { task: string; base?: RefName | undefined; agent: AgentKind },
): Promise<JobId> => {
  if (Buffer.byteLength(task) > taskMaxBytes) {
    throw new ForgeError('too-large', `A task holds ${taskMaxBytes / 1024} KiB at most.`)
  }
  const repo = await repositories.getServed(name)
  const base = await resolveBase(repo, asked)
  const file = await readWorkspaceFile(repo, base.commit)
  const [agent, state] = agentFor(kind, task)
  const at = now()
  const id = await db.transaction().execute(async (transaction) => {
    const { id: row } = await transaction
      .insertInto('jobs')
      .values({
        repo: name,
        requester: person.token,
        task,
        agent: JSON.stringify(agent),
        base_ref: base.ref,
        base_commit: base.commit,
        workspace_file: JSON.stringify(file),
        created_at: at,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const job = jobId.parse(row)
    await transaction
      .insertInto('attempts')
      .values({ job, number: 1, state, last_seq: 0, created_at: at })
      .execute()
    await audit.append(
      {
        type: 'job-created',
        job,
        repo: name,
        requester: person.token,
        agent,
        provider: null,
        model: null,
        base,
      },
      at,
    )
    return job
  })
  if (kind === 'external') deadlines.watch(id)
  else dispatcher.wake()
  return id
}
