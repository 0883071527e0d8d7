/** Which commit the agent's repository stands on, read as text. */
import { constants } from 'node:fs'
import fs from 'node:fs/promises'
import { agentGit } from './places.ts'

const commitPattern = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/
const refPattern = /^ref: (refs\/[^\0\n]{1,1000})$/
const packedRefsBytes = 64 * 1024 * 1024

/** The commit of HEAD; null where there is none that can be read. */
export const readHead = async (): Promise<string | null> => {
  const head = (await readFile('HEAD', 4096))?.trimEnd() ?? ''
  if (commitPattern.test(head)) return head
  const [, ref] = refPattern.exec(head) ?? []
  if (ref === undefined || ref.split('/').includes('..')) return null
  const loose = (await readFile(ref, 4096))?.trimEnd() ?? ''
  if (commitPattern.test(loose)) return loose
  return findPacked((await readFile('packed-refs', packedRefsBytes)) ?? '', ref)
}

const findPacked = (text: string, ref: string): string | null => {
  const line = text.split('\n').find((candidate) => candidate.endsWith(` ${ref}`))
  const id = line?.slice(0, line.indexOf(' ')) ?? ''
  return commitPattern.test(id) && line === `${id} ${ref}` ? id : null
}

/** A regular file of the agent's git folder that no link leads to; null for all else. Never waits for a pipe's writer. */
const readFile = async (name: string, maxBytes: number): Promise<string | null> => {
  const parts = name.split('/')
  for (let depth = 1; depth < parts.length; depth += 1) {
    const folder = await fs.lstat(`${agentGit}/${parts.slice(0, depth).join('/')}`).catch(() => null)
    if (!folder?.isDirectory()) return null
  }
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await fs.open(`${agentGit}/${name}`, flags).catch(() => null)
  if (file === null) return null
  try {
    const { size } = await file.stat().then((found) => (found.isFile() ? found : { size: Infinity }))
    if (size > maxBytes) return null
    return await file.readFile('latin1')
  } finally {
    await file.close()
  }
}
