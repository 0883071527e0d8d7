/** What a runner gets for an attempt: all that is fixed in the job's row, and nothing secret. Pure. */
import type { Selectable } from 'kysely'
import { type AttemptNumber, commitId, jobId, repoName } from '../protocol/ids.ts'
import { sandboxAgent } from '../protocol/jobs.ts'
import { defaultLimits, lowerLimits } from '../protocol/limits.ts'
import { refName } from '../protocol/refs.ts'
import { type AttemptSpec, workMs } from '../protocol/runner.ts'
import { workspaceFile } from '../protocol/workspace-file.ts'
import type { Tables } from '../store/schema.ts'

type ForgeAddress = AttemptSpec['forge']

export const attemptSpecOf = (
  row: Selectable<Tables['jobs']>,
  attempt: AttemptNumber,
  forge: ForgeAddress,
): AttemptSpec => {
  const { image, setup, test, limits = {} } = storedWorkspaceFile(row.workspace_file)
  return {
    job: jobId.parse(row.id),
    attempt,
    repo: repoName.parse(row.repo),
    forge,
    base: { ref: refName.parse(row.base_ref), commit: commitId.parse(row.base_commit) },
    image: image ?? null,
    agent: sandboxAgent.parse(JSON.parse(row.agent)),
    setup: setup ?? null,
    test: test ?? null,
    limits: lowerLimits(defaultLimits, limits),
    allow: [],
  }
}

/** The stored form is the parsed one: a test is a command with its paths. */
const storedWorkspaceFile = (json: string) => workspaceFile.parse(JSON.parse(json))

const slackMs = 5 * 60_000

/** How long the forge waits for an end before it closes the attempt itself. Milliseconds from dispatch. */
export const deadlineOf = (spec: AttemptSpec): number => workMs(spec) + slackMs
