import type { AgentJob } from '../../server/protocol/api.ts'
import { explainReason } from '../../server/protocol/jobs.ts'
import { step } from '../progress.ts'
import { describeEvent } from '../spbgit/commands/describe-event.ts'
import type { Forge } from '../spbgit/forge/address.ts'
import { createJob, showJob } from '../spbgit/forge/api.ts'
import { type Followed, followJob } from '../spbgit/forge/follow-job.ts'
import { demoRepo } from './repository.ts'

/** Changes something at every run, also when the change before has been approved. */
const task = [
  "sed -i 's/Hello/Good morning/' greet.js",
  'echo "- $(date -u +%FT%TZ): greetings are for the morning" >> CHANGES.md',
  'node --test',
].join(' && ')

/** Runs one job from its creation to its end. */
export const runJob = async (forge: Forge, signal: AbortSignal): Promise<AgentJob> => {
  const { id } = await createJob(forge, demoRepo, { task })
  return await step(`Running job ${id}`, async (say) => {
    for await (const followed of followJob(forge, demoRepo, id, signal)) {
      const words = describe(followed)
      if (words !== null) say(words)
    }
    signal.throwIfAborted()
    return await showJob(forge, demoRepo, id)
  })
}

/** Whether there is a proposal whose tests the forge saw pass. */
export const isVerified = ({ state, proposal, attempts }: AgentJob): boolean => {
  const tests = attempts.find(({ number }) => number === proposal?.attempt)?.tests ?? []
  return state === 'proposed' && tests.some((run) => run.against === 'proposal' && run.result === 'passed')
}

/** How the job ended, as a sentence. */
export const describeEnd = (job: AgentJob): string => {
  if (isVerified(job)) return 'a proposal, and its verified tests passed'
  if (job.proposal !== null) return 'a proposal, but its tests did not pass'
  return `${job.state}. ${job.reason === null ? '' : explainReason(job.reason)}`.trimEnd()
}

const describe = (followed: Followed): string | null => {
  switch (followed.kind) {
    case 'state':
      return followed.state.state
    case 'lost':
      return 'waiting for the forge'
    case 'event': {
      const { event } = followed
      if (event.type === 'ended') return null
      return event.type === 'log' ? (event.text.trim().split('\n').at(-1) ?? null) : describeEvent(event)
    }
  }
}
