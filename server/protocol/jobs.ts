/** A job's states and the reasons for which an attempt can end without a proposal. */
import { z } from 'zod'

export const jobState = z.enum([
  /** An agent elsewhere may push to it. */
  'open',
  'queued',
  'starting',
  'running',
  'verifying',
  'proposed',
  'approved',
  'rejected',
  'no-change',
  'failed',
  'cancelled',
])
export type JobState = z.infer<typeof jobState>

export const reason = z.enum([
  'timeout',
  'out-of-memory',
  'disk-full',
  'too-many-processes',
  'agent-error',
  'setup-failed',
  'clone-failed',
  'collect-failed',
  'push-refused',
  'image-missing',
  'image-refused',
  'engine-error',
  'runner-lost',
  'runner-refused',
  'deadline',
  'cancelled',
])
export type Reason = z.infer<typeof reason>

/** Whether an agent or a runner may still be at work on it. */
export const isActive = (state: JobState): boolean => {
  switch (state) {
    case 'open':
    case 'queued':
    case 'starting':
    case 'running':
    case 'verifying':
      return true
    case 'proposed':
    case 'approved':
    case 'rejected':
    case 'no-change':
    case 'failed':
    case 'cancelled':
      return false
  }
}

/** What went wrong and what to do, as a sentence for a person. */
export const explainReason = (why: Reason): string => {
  switch (why) {
    case 'timeout':
      return 'The agent ran past its time limit. Ask for less at once, or raise the limit.'
    case 'out-of-memory':
      return 'The sandbox used all of its memory. Lower what the task needs, or raise the limit.'
    case 'disk-full':
      return 'The sandbox filled its disk. Lower what the task writes, or raise the limit.'
    case 'too-many-processes':
      return 'The sandbox reached its limit of processes.'
    case 'agent-error':
      return 'The agent ended with an error. Its log says more.'
    case 'setup-failed':
      return 'The repository’s setup command failed. Its log says more.'
    case 'clone-failed':
      return 'The sandbox could not clone the repository from this forge. Check PUBLIC_URL and the log.'
    case 'collect-failed':
      return 'What the agent left behind could not be read as a git repository.'
    case 'push-refused':
      return 'The forge refused the proposal. The log has the reason.'
    case 'image-missing':
      return 'The runner does not have that image. Build or load it there; a job never pulls.'
    case 'image-refused':
      return 'The image cannot be used: it declares a VOLUME, or the runner’s owner has not allowed it.'
    case 'engine-error':
      return 'The container engine failed. The runner’s log says more.'
    case 'runner-lost':
      return 'The runner died in the middle of the job. Start the job again.'
    case 'runner-refused':
      return 'The runner did not take the job. Check that it runs and that both sides have the same secret.'
    case 'deadline':
      return 'Neither a proposal nor an end came in time, so the forge closed the job.'
    case 'cancelled':
      return 'A person cancelled the job.'
  }
}

/** The agents that come with the product and work in a sandbox. `command`: the task is a shell command. */
export const sandboxAgent = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('command'), task: z.string().min(1) }).readonly(),
])
export type SandboxAgent = z.infer<typeof sandboxAgent>

/** Who works on a job. `external`: an agent elsewhere, which no runner starts and the forge does not watch. */
export const agent = z.discriminatedUnion('kind', [
  ...sandboxAgent.options,
  z.object({ kind: z.literal('external') }).readonly(),
])
export type Agent = z.infer<typeof agent>

export const agentKind = z.enum(['command', 'external'])
export type AgentKind = Agent['kind']
