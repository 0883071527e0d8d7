/** What is typed after a command, parsed into the types that the commands take. */
import { InvalidArgumentError } from 'commander'
import type { z } from 'zod'
import { branchName } from '../../../server/protocol/refs.ts'

/** A parser for commander from a schema; what the schema says against it is a usage error. */
export const parsedBy =
  <T>(schema: z.ZodType<T, string>) =>
  (text: string): T => {
    const parsed = schema.safeParse(text)
    if (parsed.success) return parsed.data
    throw new InvalidArgumentError(`${parsed.error.issues.map(({ message }) => message).join('; ')}.`)
  }

/** A branch by its short name, left as it was typed: so the API takes it. */
export const parseBranch = (text: string): string => {
  if (!branchName.safeParse(text).success) {
    throw new InvalidArgumentError('a branch is given by its short name, for example: fix-login.')
  }
  return text
}

/** A text that says something. */
export const parseReason = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('say why, in a few words.')
  return text
}
