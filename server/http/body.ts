/** The body of a form or an API call: read only after it is clear who sends it, up to a size, within a time. */
import { bodyParser } from '@koa/bodyparser'
import { ForgeError } from '../errors.ts'
import type { Context } from './context.ts'

/** Who has not sent all of a body by then is not waited for. Milliseconds. */
const arrivalMs = 30_000

const openReader = (limit: string) => {
  const parse = bodyParser({ jsonLimit: limit, formLimit: limit, enableTypes: ['json', 'form'] })
  return async (ctx: Context): Promise<void> => {
    const late = setTimeout(() => ctx.req.destroy(), arrivalMs)
    try {
      await parse(ctx, async () => undefined)
    } catch (error) {
      // What the parser refuses has a status; what is left are faults of decompression.
      if (error instanceof Error && 'status' in error) throw error
      throw new ForgeError('bad-request', 'The body is not what its Content-Encoding says.')
    } finally {
      clearTimeout(late)
    }
  }
}

/** Room for a task of 64 KiB in JSON whose every byte is escaped, and its neighbours. */
export const readBody = openReader('512kb')

/** Room for a token and a path to go to: strangers send nothing else. */
export const readStrangersBody = openReader('32kb')
