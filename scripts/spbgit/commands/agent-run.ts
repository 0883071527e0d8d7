/** `spbgit agent run`: from a task to a proposal, watched. */
import type { AgentJob } from '../../../server/protocol/api.ts'
import type { RepoName } from '../../../server/protocol/ids.ts'
import { explainReason } from '../../../server/protocol/jobs.ts'
import { type ExitCode, exitCode, exitCodeOf } from '../exit-code.ts'
import type { Forge } from '../forge/address.ts'
import { createJob, showJob } from '../forge/api.ts'
import { followJob } from '../forge/follow-job.ts'
import { type Session, signedIn } from '../session.ts'
import type { Output } from '../terminal/output.ts'
import { stateName } from './describe-job.ts'
import { createJobView, type JobView } from './job-view.ts'
import { taskFrom } from './task.ts'

type Options = { base?: string; detach?: boolean; json?: boolean }

/** Shows events until the job is done; false: the person pressed Ctrl-C before. */
const watch = async (forge: Forge, { repo, id }: AgentJob, view: JobView): Promise<boolean> => {
  const left = new AbortController()
  const leave = () => left.abort()
  process.once('SIGINT', leave)
  const ticking = setInterval(() => view.tick(), 1000)
  try {
    for await (const followed of followJob(forge, repo, id, left.signal)) view.show(followed)
    return !left.signal.aborted
  } finally {
    clearInterval(ticking)
    process.off('SIGINT', leave)
    view.close()
  }
}

const sayEnd = (output: Output, { id, repo, state, reason, proposal }: AgentJob): void => {
  if (proposal === null || exitCodeOf(state) !== exitCode.proposed) {
    output.say(
      `Job ${id} ended: ${stateName(state)}. ${reason === null ? '' : explainReason(reason)}`.trimEnd(),
      'red',
    )
    return
  }
  output.say(`Job ${id} proposes ${proposal.commit}.`, 'green')
  output.say(`Review it on its page, then: spbgit agent approve ${repo} ${id} --branch <name>`)
}

/** Starts the job and follows it to its end. stdout gets the agent's log and, last, the URL of the page. */
export const run = async (
  session: Session,
  repo: RepoName,
  argument: string,
  { base, detach, json }: Options,
): Promise<ExitCode> => {
  const { output } = session
  const task = await taskFrom(argument)
  const forge = await signedIn(session)
  const job = await createJob(forge, repo, { task, ...(base !== undefined && { base }) })
  const cancelWith = `spbgit agent cancel ${repo} ${job.id}`
  output.say(`Job ${job.id} is ${stateName(job.state)}: ${job.url}`)
  if (detach) {
    if (json) output.json(job)
    else output.line(job.url)
    return exitCode.proposed
  }
  const done = await watch(forge, job, createJobView(output, job, json === true)).catch((error: unknown) => {
    output.say(`Job ${job.id} may still be at work. To look at it: spbgit agent show ${repo} ${job.id}`)
    throw error
  })
  if (!done) {
    output.say(`You left job ${job.id}, which goes on. To cancel it: ${cancelWith}`)
    return exitCode.interrupted
  }
  const ended = await showJob(forge, repo, job.id)
  if (json) output.json(ended)
  else {
    sayEnd(output, ended)
    output.line(ended.url)
  }
  return exitCodeOf(ended.state) ?? exitCode.failed
}
