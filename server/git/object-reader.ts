/** `git cat-file --batch` in answer to one question after the other. */
import { limitsFor, type SpawnOptions, spawnGit } from './child.ts'

export type RawObject = Readonly<{ id: string; type: string; body: Buffer }>

/** Starts a reader. `read` gives null for an object that is missing; larger ones than `maxBytes` throw. */
export const openObjectReader = (options: Omit<SpawnOptions, 'limits' | 'hooks'>, maxBytes: number) => {
  const child = spawnGit(['cat-file', '--batch'], { ...options, limits: limitsFor.reading })
  child.stderr.resume()
  const chunks = (child.stdout as AsyncIterable<Buffer, undefined>)[Symbol.asyncIterator]()
  let rest = Buffer.alloc(0)

  /** Has at least `length` bytes at hand: joined once, however many chunks they come in. */
  const fill = async (length: number): Promise<void> => {
    const parts: Buffer[] = [rest]
    for (let have = rest.length; have < length; ) {
      const next = await chunks.next()
      if (next.done === true) throw new Error('git cat-file ended early')
      parts.push(next.value)
      have += next.value.length
    }
    if (parts.length > 1) rest = Buffer.concat(parts)
  }
  const take = async (length: number): Promise<Buffer> => {
    await fill(length)
    const taken = rest.subarray(0, length)
    rest = rest.subarray(length)
    return taken
  }
  const takeLine = async (): Promise<string> => {
    let end = rest.indexOf(10)
    for (; end < 0; end = rest.indexOf(10)) await fill(rest.length + 1)
    return (await take(end + 1)).toString('latin1', 0, end)
  }

  return {
    /** `name`: an object id, or an id with a peeling suffix such as `^{tree}`. One call at a time. */
    async read(name: string): Promise<RawObject | null> {
      child.stdin.write(`${name}\n`)
      const [id = '', type = '', size = ''] = (await takeLine()).split(' ')
      if (size === '') return null
      if (Number(size) > maxBytes) throw new Error(`object ${id} is larger than ${maxBytes} bytes`)
      const body = await take(Number(size) + 1)
      return { id, type, body: body.subarray(0, -1) }
    },
    async close(): Promise<void> {
      child.stdin.end()
      child.end()
      // What was not read would keep the child's output open.
      await chunks.return?.()
      await child.ended
    },
  }
}

export type ObjectReader = ReturnType<typeof openObjectReader>
