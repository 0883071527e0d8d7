import util from 'node:util'
import { z } from 'zod'

const diagnostics = z.looseObject({
  at: z.object({ fileName: z.string(), lineNumber: z.number() }).optional().catch(undefined),
  diff: z.string().optional().catch(undefined),
  stack: z.string().optional().catch(undefined),
})

/** What failed, where, and how what came differs from what was expected. */
export const formatFailure = (path: readonly string[], diag: unknown): string => {
  const known = diagnostics.safeParse(diag)
  if (!known.success) return path.join(' › ')
  const { at, diff, stack, ...rest } = known.data
  for (const noise of ['source', 'compare', 'handles']) delete rest[noise]
  const lines = [path.join(' › ')]
  if (at !== undefined) lines.push(`at ${at.fileName}:${at.lineNumber}`)
  if (diff !== undefined) lines.push(diff.trimEnd())
  if (Object.keys(rest).length > 0) lines.push(util.inspect(rest, { depth: 4, breakLength: 100 }))
  if (stack !== undefined) lines.push(stack.trimEnd())
  return lines.join('\n')
}
