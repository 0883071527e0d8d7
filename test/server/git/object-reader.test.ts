import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import t, { type Test } from 'tap'
import { openObjectReader } from '../../../server/git/object-reader.ts'
import { git } from '../../support/git.ts'
import { tempFolder } from '../../support/temp.ts'

const bare = async (t: Test): Promise<string> => {
  const repo = tempFolder(t)
  await git(['init', '-q', '--bare', '.'], { cwd: repo })
  return repo
}

const store = async (repo: string, bytes: Buffer | string): Promise<string> => {
  const file = path.join(repo, 'blob')
  writeFileSync(file, bytes)
  return git(['hash-object', '-w', file], { cwd: repo })
}

t.test('objects come one after the other, whatever bytes they hold', async (t) => {
  const repo = await bare(t)
  const bodies = [Buffer.from(''), Buffer.from('\n\n'), randomBytes(200_000), Buffer.from('missing\n')]
  const ids = []
  for (const body of bodies) ids.push(await store(repo, body))
  const reader = openObjectReader({ repo }, 1024 * 1024)
  for (const [index, body] of bodies.entries()) {
    const id = ids[index] ?? ''
    t.same(await reader.read(id), { id, type: 'blob', body })
  }
  await reader.close()
})

t.test(
  'what is not there, or is not of the kind asked for, is null, and the next question is answered',
  async (t) => {
    const repo = await bare(t)
    const id = await store(repo, 'x')
    const reader = openObjectReader({ repo }, 1024)
    t.equal(await reader.read('0'.repeat(40)), null)
    t.equal(await reader.read(`${id}^{tree}`), null)
    t.match(await reader.read(id), { id })
    await reader.close()
  },
)

t.test('an object of many megabytes is read whole', async (t) => {
  const repo = await bare(t)
  const body = randomBytes(24 * 1024 * 1024)
  const id = await store(repo, body)
  const reader = openObjectReader({ repo }, 32 * 1024 * 1024)
  const read = await reader.read(id)
  t.ok(read?.body.equals(body))
  await reader.close()
})

t.test('a larger object than is taken is an error, and the reader still closes', async (t) => {
  const repo = await bare(t)
  const id = await store(repo, randomBytes(4 * 1024 * 1024))
  const reader = openObjectReader({ repo }, 1024)
  await t.rejects(reader.read(id), /larger than 1024 bytes/)
  await reader.close()
})

t.test('reading where there is no repository is an error, and the reader still closes', async (t) => {
  const reader = openObjectReader({ repo: tempFolder(t) }, 1024)
  await t.rejects(reader.read('0'.repeat(40)), /ended early/)
  await reader.close()
})

t.test('reading in a folder that has gone is an error, and the reader still closes', async (t) => {
  const reader = openObjectReader({ repo: path.join(tempFolder(t), 'gone') }, 1024)
  await t.rejects(reader.read('0'.repeat(40)), /ended early/)
  await reader.close()
})
