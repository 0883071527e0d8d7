/** Jobs and events as a forge sends them. */
import type { ServerResponse } from 'node:http'
import type { z } from 'zod'
import type { agentJob } from '../../../../server/protocol/api.ts'

export const commit = 'a'.repeat(40)
const at = '2026-01-31T12:00:00.000Z'

type Job = z.input<typeof agentJob>

/** Job 42 of `demo`, in this state; proposed, it has a proposal. */
export const makeJob = (state: Job['state'], reason: Job['reason'] = null): Job => ({
  id: 42,
  repo: 'demo',
  agent: { kind: 'command', task: 'npm run format' },
  task: 'npm run format',
  state,
  reason,
  base: { ref: 'refs/heads/main', commit: 'b'.repeat(40) },
  requester: '01hzy3k9q2w4e6r8t0m5n7p9xz',
  createdAt: at,
  attempts: [],
  proposal:
    state === 'proposed'
      ? { attempt: 1, commit, ref: 'refs/agents/42/proposal', revision: 'refs/agents/42/r1' }
      : null,
  decision: null,
  url: 'https://forge.example/repos/demo/agent-jobs/42',
})

/** Begins a stream of events. */
export const openStream = (response: ServerResponse) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(': hello\n\n')
  return {
    job: (seq: number, body: object) =>
      response.write(
        `event: job\nid: 1.${seq}\ndata: ${JSON.stringify({ attempt: 1, seq, at, ...body })}\n\n`,
      ),
    state: (state: Job['state'], reason: Job['reason'] = null) =>
      response.write(`event: state\ndata: ${JSON.stringify({ attempt: 1, state, reason })}\n\n`),
    end: () => response.end(),
    /** Breaks the connection without an end. */
    breakOff: () => response.destroy(),
  }
}

export const log = (text: string) => ({ type: 'log', step: 'agent', stream: 'out', text })
