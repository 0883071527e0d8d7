/** The environments of programs in containers. Each is whole; none holds a secret. */
import type { AttemptSpec } from '../../server/protocol/runner.ts'
import type { Environment } from '../engine/exec.ts'
import { workFolder } from '../engine/specs/seal.ts'

/** Where the wire listens in a container. */
export const wirePort = 8040
export const proxy = `http://127.0.0.1:${wirePort}`

export const repoFolder = `${workFolder}/repo`

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** For the product's own programs. */
export const toolEnvironment = (home: string): Environment => ({
  PATH: path,
  HOME: home,
  TMPDIR: home,
  LC_ALL: 'C',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_TERMINAL_PROMPT: '0',
})

/** For what the repository and the agent run. Its name in commits is its own, never a person's. */
export const sandboxEnvironment = ({ job, attempt, base }: AttemptSpec): Environment => ({
  PATH: path,
  HOME: `${workFolder}/home`,
  TMPDIR: `${workFolder}/tmp`,
  LANG: 'C.UTF-8',
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: '/bin/sh',
  HTTPS_PROXY: proxy,
  https_proxy: proxy,
  HTTP_PROXY: proxy,
  http_proxy: proxy,
  NODE_USE_ENV_PROXY: '1',
  GIT_TERMINAL_PROMPT: '0',
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@job.invalid',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@job.invalid',
  AGENT_WORKSPACE_JOB: String(job),
  AGENT_WORKSPACE_ATTEMPT: String(attempt),
  AGENT_WORKSPACE_BASE: base.commit,
})
