/** What an agent elsewhere needs to bring a proposal. */
import type { Forge } from '../forge.ts'
import type { Person } from '../identity/identity.ts'
import { longestJobToken } from '../identity/token-store.ts'
import type { AgentAccess, AgentJob } from '../protocol/api.ts'
import { toIso } from '../protocol/ids.ts'
import { branchOf, proposalRef } from '../protocol/refs.ts'
import { shellWord } from '../protocol/shell-word.ts'

/** Other helpers are put aside: one that knows the forge would answer with its person's own token. */
const helper = "-c credential.helper= -c 'credential.helper=!echo username=job; echo password=$JOB_TOKEN; :'"

const commandsFor = ({ id, repo, base }: AgentJob, publicUrl: string): AgentAccess['commands'] => {
  const folder = `${repo}-job-${id}`
  return [
    `git clone --branch ${shellWord(branchOf(base.ref))} ${publicUrl}/${repo}.git ${folder} && cd ${folder}`,
    "git add --all && git commit --message='Describe the change'",
    `git ${helper} push origin HEAD:${proposalRef(id)}`,
  ]
}

/** Makes the job's token, which nobody can read again, and the commands that use it. */
export const giveAccess = async (
  { config, tokens, now }: Forge,
  person: Person,
  job: AgentJob,
): Promise<AgentAccess> => {
  const expires = now() + longestJobToken
  const { text } = await tokens.create(`job ${job.id}, agent elsewhere`, {
    scope: { repo: job.repo, job: job.id, expires },
    by: person.token,
  })
  return { token: text, expires: toIso(expires), commands: commandsFor(job, config.publicUrl) }
}
