import { createHash } from 'node:crypto'
import { deflateSync } from 'node:zlib'

export type GitObject = Readonly<{ type: 'commit' | 'tree' | 'blob' | 'tag'; bytes: Buffer }>

const typeNumber = { commit: 1, tree: 2, blob: 3, tag: 4 } as const

export const objectId = ({ type, bytes }: GitObject): string =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex')

/** The type and the size before an object in a pack (gitformat-pack). */
const objectHead = ({ type, bytes }: GitObject): Buffer => {
  const head: number[] = []
  let rest = Math.floor(bytes.length / 16)
  let byte = (typeNumber[type] << 4) | (bytes.length % 16)
  for (; rest > 0; rest = Math.floor(rest / 128)) {
    head.push(byte | 0x80)
    byte = rest % 128
  }
  return Buffer.from([...head, byte])
}

/** A pack of these objects, whatever is in them: git itself would not pack what it cannot read. */
export const makePack = (objects: readonly GitObject[]): Buffer => {
  const head = Buffer.from('PACK\0\0\0\x02\0\0\0\0', 'latin1')
  head.writeUInt32BE(objects.length, 8)
  const body = Buffer.concat([
    head,
    ...objects.flatMap((object) => [objectHead(object), deflateSync(object.bytes)]),
  ])
  return Buffer.concat([body, createHash('sha1').update(body).digest()])
}
