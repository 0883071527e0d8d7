/** `spbgit agent open`: a job for an agent that works elsewhere. */
import type { RepoName } from '../../../server/protocol/ids.ts'
import { openJob } from '../forge/api.ts'
import { type Session, signedIn } from '../session.ts'
import { taskFrom } from './task.ts'

type Options = { base?: string; json?: boolean }

/** Opens the job. stdout gets what a shell needs to bring a proposal, its token among it. */
export const open = async (
  session: Session,
  repo: RepoName,
  argument: string,
  { base, json }: Options,
): Promise<void> => {
  const { output } = session
  const task = await taskFrom(argument)
  const job = await openJob(await signedIn(session), repo, { task, ...(base !== undefined && { base }) })
  if (json) return output.json(job)
  const { token, expires, commands } = job.access
  output.say(`Job ${job.id} waits for a push: ${job.url}`)
  output.say(
    `Its token works until ${expires} and is not shown again. The forge watches nothing but the push.`,
  )
  output.line(`export JOB_TOKEN=${token}`)
  for (const command of commands) output.line(command)
}
