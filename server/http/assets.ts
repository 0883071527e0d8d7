/** `/assets/:file`: the files that the views list, and nothing else. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { assets } from '../../views/assets.ts'
import { ForgeError } from '../errors.ts'
import type { Context } from './context.ts'

export const serveAsset = async (ctx: Context): Promise<void> => {
  const { file = '' } = ctx['params'] as Readonly<Record<string, string | undefined>>
  const asset = assets.get(file)
  if (!asset) throw new ForgeError('not-found', 'There is nothing under this address.')
  const bytes = await readFile(asset.file)
  ctx.set('content-type', asset.type)
  ctx.set('cache-control', 'no-cache')
  ctx.set('etag', `"${createHash('sha256').update(bytes).digest('base64url')}"`)
  ctx.status = 200
  if (ctx.fresh) ctx.status = 304
  else ctx.body = bytes
}
