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

/** A time such as `30m` or `1h`, in milliseconds. */
export const parseDuration = (text: string): number => {
  const [, count, unit] = /^([1-9][0-9]{0,5})([mh])$/.exec(text) ?? []
  if (unit === undefined) throw new InvalidArgumentError('a time is minutes or hours: 30m or 1h.')
  return Number(count) * (unit === 'h' ? 3_600_000 : 60_000)
}

/** A text that says something. */
export const parseReason = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('say why, in a few words.')
  return text
}
