/** All of a forge below its listening socket, in this process. */
import pino from 'pino'
import type { Test } from 'tap'
import { parseConfig } from '../../../server/config.ts'
import type { Forge } from '../../../server/forge.ts'
import { openForge } from '../../../server/open-forge.ts'
import { attemptNumber, commitId, jobId, repoName } from '../../../server/protocol/ids.ts'

/** Opens the forge of a data folder; it closes with the test, or when it is told to. */
export const openInProcess = async (t: Test, dataDir: string) => {
  const { forge, close } = await openForge(
    parseConfig({ DATA_DIR: dataDir, TLS: 'off' }),
    pino({ level: 'silent' }),
    null,
  )
  let closing: Promise<void> | undefined
  const closeOnce = (): Promise<void> => (closing ??= close())
  t.teardown(closeOnce)
  return { forge, close: closeOnce }
}

export const repo = repoName.parse('hello')
export const commit = commitId.parse('ab'.repeat(20))
export const first = attemptNumber.parse(1)

/** A job that a runner has begun with. */
export const addJob = async ({ db, tokens, now }: Forge) => {
  const { token } = await tokens.create('test', { by: null })
  const { id } = await db
    .insertInto('jobs')
    .values({
      repo,
      requester: token.id,
      task: 'do it',
      agent: JSON.stringify({ kind: 'command', task: 'do it' }),
      base_ref: 'refs/heads/main',
      base_commit: commit,
      workspace_file: '{}',
      created_at: now(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  await db
    .insertInto('attempts')
    .values({ job: id, number: 1, state: 'running', last_seq: 0, created_at: now() })
    .execute()
  return { id: jobId.parse(id), token: token.id }
}
