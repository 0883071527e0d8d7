/** What was done a moment ago, carried over a redirect as one of a few known words. */
import { z } from 'zod'
import type { Flash } from '../../views/layout.ts'
import type { Context } from './context.ts'

const done = z.enum([
  'approved',
  'rejected',
  'cancelled',
  'refs-deleted',
  'repo-created',
  'repo-deleted',
  'revoked',
  'pinged',
  'redelivered',
  'webhook-deleted',
])
export type Done = z.infer<typeof done>

const textOf = (what: Done): string => {
  switch (what) {
    case 'approved':
      return 'Approved. The branch holds exactly the commit that you reviewed.'
    case 'rejected':
      return 'Rejected. The reason is kept with the job.'
    case 'cancelled':
      return 'Cancelled. Its agent is shut out.'
    case 'refs-deleted':
      return 'The job’s refs are deleted. Its record stays.'
    case 'repo-created':
      return 'The repository is ready.'
    case 'repo-deleted':
      return 'The repository is deleted.'
    case 'revoked':
      return 'The token is revoked.'
    case 'pinged':
      return 'A ping is on its way.'
    case 'redelivered':
      return 'It is on its way once more.'
    case 'webhook-deleted':
      return 'The webhook is deleted.'
  }
}

export const flashOf = (ctx: Context): Flash | null => {
  const what = done.safeParse(ctx.query['done'])
  return what.success ? { tone: 'good', text: textOf(what.data) } : null
}

/** Answers a form: the page that shows what became of it, with a word on what was done. */
export const redirectDone = (ctx: Context, path: string, what: Done): void => {
  ctx.status = 303
  ctx.redirect(`${path}?done=${what}`)
}
