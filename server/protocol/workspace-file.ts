/** `.agent-workspace.json` at the base commit: how a repository wants its jobs to run. */
import { z } from 'zod'
import { digest } from './ids.ts'
import { limits } from './limits.ts'
import { shellCommand, testCommand } from './runner.ts'

export const workspaceFileName = '.agent-workspace.json'

/** `test` is a command, or a command with the paths that hold tests. Unknown keys are refused, so that a typing error is seen. */
export const workspaceFile = z
  .strictObject({
    image: digest.optional(),
    setup: shellCommand.optional(),
    test: z.union([shellCommand.transform((text) => ({ command: text, paths: [] })), testCommand]).optional(),
    limits: limits.unwrap().partial().strict().optional(),
  })
  .readonly()
export type WorkspaceFile = z.infer<typeof workspaceFile>
